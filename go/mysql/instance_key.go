package mysql

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// DefaultInstancePort is the TCP port of a server that is named without one.
const DefaultInstancePort = 3306

// InstanceKey names a server by host and TCP port. It is comparable and serves as a map key. The zero value names no
// server.
type InstanceKey struct {
	Hostname string
	Port     int
}

// ParseInstanceKey reads "host", "host:port", "[ipv6]", "[ipv6]:port" or a bare IPv6 address. A missing port means
// DefaultInstancePort.
func ParseInstanceKey(hostPort string) (*InstanceKey, error) {
	text := strings.TrimSpace(hostPort)
	if text == "" {
		return nil, fmt.Errorf("cannot read a server's address from an empty text: host or host:port is needed")
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return &InstanceKey{Hostname: text, Port: DefaultInstancePort}, nil
	}
	if strings.HasPrefix(text, "[") {
		return parseBracketedKey(text)
	}

	host, port, hasPort := strings.Cut(text, ":")
	if !hasPort {
		return &InstanceKey{Hostname: host, Port: DefaultInstancePort}, nil
	}
	if host == "" {
		return nil, fmt.Errorf("server address %q names no host", hostPort)
	}
	number, err := parsePort(port)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", hostPort, err)
	}
	return &InstanceKey{Hostname: host, Port: number}, nil
}

func parseBracketedKey(text string) (*InstanceKey, error) {
	address, rest, closed := strings.Cut(text[1:], "]")
	if _, err := netip.ParseAddr(address); !closed || err != nil {
		return nil, fmt.Errorf("server address %q: [ ] must enclose an IPv6 address", text)
	}
	if rest == "" {
		return &InstanceKey{Hostname: address, Port: DefaultInstancePort}, nil
	}
	port, err := parsePort(strings.TrimPrefix(rest, ":"))
	if err != nil || !strings.HasPrefix(rest, ":") {
		return nil, fmt.Errorf("server address %q: only :port may follow the address, port being 1 to 65535", text)
	}
	return &InstanceKey{Hostname: address, Port: port}, nil
}

func parsePort(text string) (int, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("port %q is not a number from 1 to 65535", text)
	}
	return int(port), nil
}

// Equals tells whether both keys name the same host and port, as text: no name is resolved. A nil other is equal to
// nothing.
func (k InstanceKey) Equals(other *InstanceKey) bool {
	return other != nil && k == *other
}

// SmallerThan orders keys by host, then port.
func (k InstanceKey) SmallerThan(other *InstanceKey) bool {
	if k.Hostname != other.Hostname {
		return k.Hostname < other.Hostname
	}
	return k.Port < other.Port
}

// IsValid tells whether the key can be connected to: it has a host and a port. "_" is what orchestration tools write
// for a host that is known to be lost.
func (k InstanceKey) IsValid() bool {
	return k.Hostname != "" && k.Hostname != "_" && k.Port > 0
}

// StringCode returns host:port, an IPv6 address in brackets: what ParseInstanceKey reads back, and what a dialer takes.
func (k InstanceKey) StringCode() string {
	return net.JoinHostPort(k.Hostname, strconv.Itoa(k.Port))
}

// DisplayString returns the key as people write it; the same as StringCode.
func (k InstanceKey) DisplayString() string {
	return k.StringCode()
}

// String returns the key as people write it; the same as StringCode.
func (k InstanceKey) String() string {
	return k.StringCode()
}
