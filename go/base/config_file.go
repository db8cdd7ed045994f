package base

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// FileSettings is what a configuration file says. A nil pointer, or an empty account, means that the file is silent on it.
type FileSettings struct {
	// User and Password are the account, from [client].
	User, Password string
	// ChunkSize, MaxLagMillis and MaxLoad are from [osc]; flags win over them.
	ChunkSize    *int64
	MaxLagMillis *int64
	MaxLoad      *string
	// ReplicationLagQuery is from [osc]; it is deprecated and not used.
	ReplicationLagQuery string
}

// ReadConfigFile reads ConfigFile; without one it does nothing. It may be called again while the run goes on, to read the
// file anew: on an error the settings read before stay.
func (c *MigrationContext) ReadConfigFile() error {
	if c.ConfigFile == "" {
		return nil
	}
	text, err := os.ReadFile(c.ConfigFile)
	if err != nil {
		return fmt.Errorf("reading the configuration file: %w", err)
	}
	settings, unset, err := parseFileSettings(string(text), os.LookupEnv)
	if err != nil {
		return fmt.Errorf("configuration file %s: %w", c.ConfigFile, err)
	}
	for _, name := range unset {
		_ = c.Log.Warningf("configuration file %s refers to ${%s}, which is not in the environment: taken as empty", c.ConfigFile, name)
	}
	c.fileMutex.Lock()
	defer c.fileMutex.Unlock()
	c.fileSettings = settings
	return nil
}

// FileSettings is what the configuration file said when it was read last.
func (c *MigrationContext) FileSettings() FileSettings {
	c.fileMutex.Lock()
	defer c.fileMutex.Unlock()
	return c.fileSettings
}

// ApplyCredentials puts the account into the inspector's connection settings: the one given by the user, else the
// configuration file's, else what stands there already.
func (c *MigrationContext) ApplyCredentials() {
	file := c.FileSettings()
	config := c.InspectorConnectionConfig
	config.User = firstNonEmpty(c.CliUser, file.User, config.User)
	config.Password = firstNonEmpty(c.CliPassword, file.Password, config.Password)
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// parseFileSettings also returns the names of environment variables that are referred to but not set.
func parseFileSettings(text string, lookupEnv func(string) (string, bool)) (settings FileSettings, unset []string, err error) {
	sections, err := parseINI(text)
	if err != nil {
		return FileSettings{}, nil, err
	}
	client, osc := sections["client"], sections["osc"]
	expand := func(value string) string {
		expanded, missing := expandEnvironment(value, lookupEnv)
		unset = append(unset, missing...)
		return expanded
	}
	settings.User = expand(client["user"])
	settings.Password = expand(client["password"])
	if settings.ChunkSize, err = osc.wholeNumber("chunk_size"); err != nil {
		return FileSettings{}, nil, err
	}
	if settings.MaxLagMillis, err = osc.wholeNumber("max_lag_millis"); err != nil {
		return FileSettings{}, nil, err
	}
	if maxLoad, given := osc["max_load"]; given {
		if _, err := ParseLoadMap(maxLoad); err != nil {
			return FileSettings{}, nil, fmt.Errorf("[osc] max_load: %w", err)
		}
		settings.MaxLoad = &maxLoad
	}
	settings.ReplicationLagQuery = osc["replication_lag_query"]
	return settings, unset, nil
}

func (s iniSection) wholeNumber(key string) (*int64, error) {
	text, given := s[key]
	if !given {
		return nil, nil
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("[osc] %s is %q: it must be a whole number", key, text)
	}
	return &number, nil
}

var environmentReference = regexp.MustCompile(`\$\{([^{}]+)\}`)

// expandEnvironment replaces each ${NAME} by the environment's variable NAME, by nothing where there is none.
func expandEnvironment(value string, lookupEnv func(string) (string, bool)) (expanded string, unset []string) {
	expanded = environmentReference.ReplaceAllStringFunc(value, func(reference string) string {
		name := environmentReference.FindStringSubmatch(reference)[1]
		content, set := lookupEnv(name)
		if !set {
			unset = append(unset, name)
		}
		return content
	})
	return expanded, unset
}
