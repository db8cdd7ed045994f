package base

import (
	"fmt"
	"os"
)

// FileExists tells whether something stands at that path. A path that cannot be looked at counts as absent.
func FileExists(fileName string) bool {
	_, err := os.Stat(fileName)
	return err == nil
}

// TouchFile creates an empty file with mode 0755 (less the umask); a file that exists stays as it is.
func TouchFile(fileName string) error {
	file, err := os.OpenFile(fileName, os.O_APPEND|os.O_CREATE, 0o755)
	if err != nil {
		return fmt.Errorf("creating flag file: %w", err)
	}
	return file.Close()
}
