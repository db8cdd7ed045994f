package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	maxLine = 64 << 10 // bytes of a command's line, its end not counted

	// What a client sends beyond its line is read and thrown away for a moment: closing over it would take the reply with it.
	lingerTime  = 200 * time.Millisecond
	lingerBytes = 1 << 20
)

var errLineTooLong = fmt.Errorf("the command is longer than %d bytes", maxLine)

// serve answers the connection's one command and closes it.
func (s *Server) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close() // the client has its reply or is gone
	line, err := s.readLine(ctx, conn)
	var reply []byte
	switch {
	case err == nil:
		reply = s.answer(ctx, line)
	case errors.Is(err, errLineTooLong):
		reply = []byte(s.complain(err))
	default:
		return // nothing was asked
	}
	if err := s.send(ctx, conn, reply); err != nil {
		_ = s.config.Log.Warningf("replying to an interactive command: %s", err)
	}
}

// readLine reads up to the first line break or the end of what the client sends. A client that sends nothing asks nothing.
func (s *Server) readLine(ctx context.Context, conn net.Conn) (string, error) {
	if err := conn.SetReadDeadline(time.Now().Add(s.readTime)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()

	line, err := bufio.NewReader(io.LimitReader(conn, maxLine+1)).ReadString('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case len(line) > maxLine:
		return "", errLineTooLong
	case errors.Is(err, io.EOF) && line != "":
		return line, nil
	}
	return "", err
}

// send writes the reply.
func (s *Server) send(ctx context.Context, conn net.Conn, reply []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(s.writeTime)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Now().Add(shutdownTimeout)) })
	defer stop()

	if _, err := conn.Write(reply); err != nil {
		return err
	}
	linger(conn)
	return nil
}

// linger says that no more will come and lets the client finish. The reply is out: how the client leaves is its own affair.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, conn, lingerBytes)
}
