package base

import "os"

// ServingSettings says where interactive commands are taken from.
type ServingSettings struct {
	// ServeSocketFile is the path of the unix socket.
	ServeSocketFile string
	// ServeSocketMode is the permission set on the socket. 0: its owner alone may connect.
	ServeSocketMode os.FileMode
	// ServeTCPPort is the TCP port to listen on as well. 0: no TCP.
	ServeTCPPort int64
	// ServeTCPHost is the address that the TCP port is bound to. Empty: all addresses of the machine.
	ServeTCPHost string
	// DropServeSocket removes a file that already stands at the socket's path.
	DropServeSocket bool
}
