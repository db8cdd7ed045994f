package logic

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/github/gh-ost/go/base"
)

// cleanUpCommand is the command that removes what this migration leaves, as it can be put into a shell. It has no password.
func cleanUpCommand(c *base.MigrationContext) string {
	words := []string{"gh-ost", "--cleanup", "--execute"}
	given := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag+"="+value)
		}
	}
	set := func(flag string, isSet bool) {
		if isSet {
			words = append(words, "--"+flag)
		}
	}
	key := c.InspectorConnectionConfig.Key
	given("host", key.Hostname)
	given("port", strconv.Itoa(key.Port))
	given("conf", c.ConfigFile)
	given("user", c.CliUser)
	set("ask-pass", c.CliPassword != "")
	given("assume-master-host", c.AssumeMasterHostname)
	given("master-user", c.CliMasterUser)
	set("allow-master-master", c.AllowedMasterMaster)
	set("test-on-replica", c.TestOnReplica)
	set("migrate-on-replica", c.MigrateOnReplica)
	set("skip-port-validation", c.SkipPortValidation)
	set("aliyun-rds", c.AliyunRDS)
	set("gcp", c.GoogleCloudPlatform)
	set("azure", c.AzureMySQL)
	set("ssl", c.UseTLS)
	given("ssl-ca", c.TLSCACertificate)
	given("ssl-cert", c.TLSCertificate)
	given("ssl-key", c.TLSKey)
	set("ssl-allow-insecure", c.TLSAllowInsecure)
	given("database", c.DatabaseName)
	given("table", c.OriginalTableName)
	given("force-table-names", c.ForceTmpTableName)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[-0-9A-Za-z_=./:@%+,]+$`)

// shellWord quotes a word for a shell where it needs it.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
