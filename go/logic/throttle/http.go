package throttle

import (
	"context"
	"net/http"
	"time"
)

const (
	noHTTPInterval     = time.Second // while no URL is set
	defaultHTTPTimeout = time.Second // when none is set; without one, a silent service would hold the last status for good
)

// httpCollector asks a service whether to hold back.
type httpCollector struct {
	throttler *Throttler
	transport *http.Transport
	complaint complaint
}

func newHTTPCollector(t *Throttler) *httpCollector {
	return &httpCollector{throttler: t, transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 1,
		IdleConnTimeout:     time.Minute,
	}}
}

func (c *httpCollector) close() { c.transport.CloseIdleConnections() }

func (c *httpCollector) pause() time.Duration {
	if c.throttler.config.Settings.HTTPURL() == "" {
		return noHTTPInterval
	}
	return c.throttler.config.Settings.HTTPInterval()
}

func (c *httpCollector) collect(ctx context.Context) {
	t := c.throttler
	url := t.config.Settings.HTTPURL()
	if url == "" {
		return
	}
	status, err := c.ask(ctx, url)
	if ctx.Err() != nil {
		return
	}
	c.complaint.report(t.config.Log, "throttle-http", err)
	if err != nil {
		status = httpConnectionError
	}
	t.board.write(func(m *Measurements) { m.HTTP = HTTPReading{URL: url, Status: status} })
}

func (c *httpCollector) ask(ctx context.Context, url string) (status int, err error) {
	timeout := c.throttler.config.Settings.HTTPTimeout()
	if timeout <= 0 {
		timeout = defaultHTTPTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("User-Agent", c.throttler.config.UserAgent)
	response, err := (&http.Client{Transport: c.transport}).Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
