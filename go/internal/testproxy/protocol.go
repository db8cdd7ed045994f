package testproxy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// packet is one packet of the protocol as it travels: three bytes of length, the sequence number, the payload.
type packet []byte

const headerLength = 4

func (p packet) sequence() byte  { return p[3] }
func (p packet) payload() []byte { return p[headerLength:] }

// first returns the payload's first byte, which tells what most packets are. An empty payload has none.
func (p packet) first() (byte, bool) {
	if len(p) == headerLength {
		return 0, false
	}
	return p[headerLength], true
}

func readPacket(from io.Reader) (packet, error) {
	var header [headerLength]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return nil, err
	}
	length := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
	read := make(packet, headerLength+length)
	copy(read, header[:])
	_, err := io.ReadFull(from, read.payload())
	return read, err
}

// first bytes of what a server says
const (
	sayOK    = 0x00
	sayError = 0xff
)

// commands whose names or contents matter here
const (
	comQuery   = 0x03
	comPrepare = 0x16
	comExecute = 0x17
	comClose   = 0x19
)

var commandNames = map[byte]string{
	0x01: "COM_QUIT", 0x02: "COM_INIT_DB", comQuery: "COM_QUERY", 0x04: "COM_FIELD_LIST", 0x09: "COM_STATISTICS",
	0x0c: "COM_PROCESS_KILL", 0x0e: "COM_PING", 0x11: "COM_CHANGE_USER", 0x12: "COM_BINLOG_DUMP", 0x15: "COM_REGISTER_SLAVE",
	comPrepare: "COM_STMT_PREPARE", comExecute: "COM_STMT_EXECUTE", 0x18: "COM_STMT_SEND_LONG_DATA", comClose: "COM_STMT_CLOSE",
	0x1a: "COM_STMT_RESET", 0x1b: "COM_SET_OPTION", 0x1c: "COM_STMT_FETCH", 0x1e: "COM_BINLOG_DUMP_GTID", 0x1f: "COM_RESET_CONNECTION",
}

func commandName(command byte) string {
	if name, known := commandNames[command]; known {
		return name
	}
	return fmt.Sprintf("COM_0x%02x", command)
}

// capability flags that would make what follows unreadable
const (
	capableCompress   = 1 << 5
	capableTLS        = 1 << 11
	capableZstd       = 1 << 26
	capableAttributes = 1 << 27
	unreadable        = uint32(capableCompress | capableTLS | capableZstd | capableAttributes)
)

// openGreeting reads the connection's id out of a server's greeting and takes out of it what we could not read.
// A greeting that is none, because the server refuses the connection, has no id and stays as it is.
func openGreeting(greeting packet) (id uint32, known bool) {
	payload := greeting.payload()
	if len(payload) == 0 || payload[0] != 10 {
		return 0, false
	}
	end := bytes.IndexByte(payload, 0) // of the version
	rest := payload[end+1:]            // id 4, salt 8, filler 1, flags 2, charset 1, status 2, flags 2
	if end < 0 || len(rest) < 20 {
		return 0, false
	}
	flags := uint32(binary.LittleEndian.Uint16(rest[13:])) | uint32(binary.LittleEndian.Uint16(rest[18:]))<<16
	flags &^= unreadable
	binary.LittleEndian.PutUint16(rest[13:], uint16(flags))
	binary.LittleEndian.PutUint16(rest[18:], uint16(flags>>16))
	return binary.LittleEndian.Uint32(rest), true
}

// closeLogin takes query attributes out of a client's answer to the greeting: there is a client that claims them also
// where the server has not offered them, and then does without.
func closeLogin(answer packet) {
	if payload := answer.payload(); len(payload) >= 4 {
		flags := binary.LittleEndian.Uint32(payload)
		binary.LittleEndian.PutUint32(payload, flags&^capableAttributes)
	}
}

// statementID returns the id of a prepared statement: in the answer to COM_STMT_PREPARE, as in the commands that use
// it, it follows the first byte.
func statementID(p packet) (uint32, bool) {
	if payload := p.payload(); len(payload) >= 5 {
		return binary.LittleEndian.Uint32(payload[1:]), true
	}
	return 0, false
}
