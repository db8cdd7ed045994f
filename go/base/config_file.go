package base

// FileSettings is what a configuration file says.
type FileSettings struct {
	User, Password string
}
