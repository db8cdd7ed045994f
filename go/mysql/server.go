package mysql

import (
	"context"
	"fmt"
	"strconv"
)

// Server is what a server says of itself.
type Server struct {
	Dialect        Dialect
	Version        string // @@version
	VersionComment string // @@version_comment
	Hostname       string // @@hostname; need not be an address that others can use
	Port           int    // @@port
	ExtraPort      int    // @@extra_port, a second port for administrators; zero if there is none
	ServerID       uint32 // @@server_id
	UUID           string // @@server_uuid, on MariaDB @@server_uid; empty where the server has none
	ReadOnly       bool   // @@read_only
	SuperReadOnly  bool   // @@super_read_only: not even administrators may write
	TimeZone       string // global @@time_zone; SYSTEM means SystemTimeZone
	SystemTimeZone string // @@system_time_zone, an abbreviation such as UTC or CEST
}

var serverVariables = []string{
	"version", "version_comment", "hostname", "port", "extra_port", "server_id", "server_uuid", "server_uid",
	"read_only", "super_read_only", "time_zone", "system_time_zone",
}

// Identify asks a server who it is.
func Identify(ctx context.Context, q Querier) (*Server, error) {
	values, err := GlobalVariables(ctx, q, serverVariables...)
	if err != nil {
		return nil, fmt.Errorf("identifying the server: %w", err)
	}
	server := &Server{
		Dialect:        NewDialect(values["version"], values["version_comment"]),
		Version:        values["version"],
		VersionComment: values["version_comment"],
		Hostname:       values["hostname"],
		UUID:           values["server_uuid"] + values["server_uid"], // a server has one of them
		ReadOnly:       isReadOnly(values["read_only"]),
		SuperReadOnly:  IsOn(values["super_read_only"]),
		TimeZone:       values["time_zone"],
		SystemTimeZone: values["system_time_zone"],
	}
	if server.Version == "" {
		return nil, fmt.Errorf("identifying the server: it does not tell its version")
	}
	if server.Port, err = strconv.Atoi(values["port"]); err != nil {
		return nil, fmt.Errorf("identifying the server: @@port is %q: %w", values["port"], err)
	}
	if text := values["extra_port"]; text != "" {
		if server.ExtraPort, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("identifying the server: @@extra_port is %q: %w", text, err)
		}
	}
	id, err := strconv.ParseUint(values["server_id"], 10, 32)
	if err != nil {
		return nil, fmt.Errorf("identifying the server: @@server_id is %q: %w", values["server_id"], err)
	}
	server.ServerID = uint32(id)
	return server, nil
}

// isReadOnly reads @@read_only, which newer MariaDB servers have as OFF, ON, NO_LOCK or NO_LOCK_NO_ADMIN.
func isReadOnly(value string) bool {
	return value != "" && value != "0" && value != "OFF"
}

// Key is the address by which the server knows itself.
func (s *Server) Key() InstanceKey {
	return InstanceKey{Hostname: s.Hostname, Port: s.Port}
}

// CheckPort compares the port that was connected to with those that the server says it listens on. A difference means
// a proxy, a port forwarding or the wrong server; the error, a *PortError, names the flag that allows it.
func (s *Server) CheckPort(configured InstanceKey) error {
	if configured.Port == s.Port || s.ExtraPort > 0 && configured.Port == s.ExtraPort {
		return nil
	}
	return &PortError{Configured: configured, Server: *s}
}

// A PortError says that a server does not know the port by which it was reached.
type PortError struct {
	Configured InstanceKey
	Server     Server
}

// Error implements error.
func (e *PortError) Error() string {
	reported := strconv.Itoa(e.Server.Port)
	if e.Server.ExtraPort > 0 {
		reported += " (extra_port " + strconv.Itoa(e.Server.ExtraPort) + ")"
	}
	return fmt.Sprintf("unexpected database port reported: the server at %s says that it is %s and listens on %s; "+
		"connect to the server itself, not through a proxy, or give skip-port-validation if this is the right one",
		e.Configured, e.Server.Hostname, reported)
}
