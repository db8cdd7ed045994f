// Package sql holds what is text and value, and nothing that talks to a server: names, columns and their types, the ALTER
// statement's options, and the statements that walk, copy and change rows.
package sql
