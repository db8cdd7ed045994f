package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// madeFrom is the head of files that are made from the table of flags.
const madeFrom = "Made from the table in go/cmd/gh-ost by \"make completions\": change it there."

func allFlags(groups []flagGroup) (specs []flagSpec) {
	for _, group := range groups {
		specs = append(specs, group.flags...)
	}
	return specs
}

// bashCompletion is for bash without any help of its own.
func bashCompletion(groups []flagGroup) string {
	var flags, values []string
	cases := &strings.Builder{}
	for _, spec := range allFlags(groups) {
		if spec.kind == "bool" {
			flags = append(flags, "--"+spec.name)
			continue
		}
		flags = append(flags, "--"+spec.name+"=")
		switch {
		case len(spec.words) > 0:
			fmt.Fprintf(cases, "\t--%s) mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\"); return ;;\n", spec.name, strings.Join(spec.words, " "))
		case spec.pathKind == filePath:
			fmt.Fprintf(cases, "\t--%s) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n", spec.name)
		case spec.pathKind == directoryPath:
			fmt.Fprintf(cases, "\t--%s) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n", spec.name)
		default:
			values = append(values, "--"+spec.name)
		}
	}
	return `# bash completion for gh-ost. ` + madeFrom + `

_gh_ost() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]}
	if [[ $cur == "=" ]]; then
		cur=""
	elif [[ $flag == "=" ]]; then
		flag=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case $flag in
` + cases.String() + "\t" + strings.Join(values, "|") + `) return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W '` + strings.Join(flags, " ") + `' -- "$cur")
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

complete -F _gh_ost gh-ost
`
}

func zshCompletion(groups []flagGroup) string {
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`)
	text := &strings.Builder{}
	text.WriteString("#compdef gh-ost\n# zsh completion for gh-ost. " + madeFrom + "\n\n_arguments -S")
	for _, spec := range allFlags(groups) {
		help := quote.Replace(spec.help)
		if spec.kind == "bool" {
			fmt.Fprintf(text, " \\\n\t'--%s[%s]'", spec.name, help)
			continue
		}
		repeated, action := "", ""
		if spec.kind == "list" {
			repeated = "*"
		}
		switch {
		case len(spec.words) > 0:
			action = "(" + strings.Join(spec.words, " ") + ")"
		case spec.pathKind == filePath:
			action = "_files"
		case spec.pathKind == directoryPath:
			action = "_files -/"
		}
		fmt.Fprintf(text, " \\\n\t'%s--%s=[%s]:%s:%s'", repeated, spec.name, help, spec.kind, action)
	}
	text.WriteString("\n")
	return text.String()
}

func fishCompletion(groups []flagGroup) string {
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	text := &strings.Builder{}
	text.WriteString("# fish completion for gh-ost. " + madeFrom + "\n\ncomplete -c gh-ost -f\n")
	for _, spec := range allFlags(groups) {
		options := " -x"
		switch {
		case spec.kind == "bool":
			options = ""
		case len(spec.words) > 0:
			options = " -x -a '" + strings.Join(spec.words, " ") + "'"
		case spec.pathKind == filePath:
			options = " -r -F"
		case spec.pathKind == directoryPath:
			options = " -x -a '(__fish_complete_directories)'"
		}
		fmt.Fprintf(text, "complete -c gh-ost -l %s%s -d '%s'\n", spec.name, options, quote.Replace(spec.help))
	}
	return text.String()
}

func TestCompletionsAreUpToDate(t *testing.T) {
	groups := newOptions().table()
	checked(t, "../../../doc/completion/gh-ost.bash", bashCompletion(groups))
	checked(t, "../../../doc/completion/_gh-ost", zshCompletion(groups))
	checked(t, "../../../doc/completion/gh-ost.fish", fishCompletion(groups))
}

func TestBashOffersFlagsAndTheirValues(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	directory := t.TempDir()
	for _, test := range []struct {
		words  []string // as bash splits the line; the last is completed
		offers []string
	}{
		{[]string{"gh-ost", "--test-on"}, []string{"--test-on-replica", "--test-on-replica-skip-replica-stop"}},
		{[]string{"gh-ost", "--execute", "--chunk-s"}, []string{"--chunk-size="}},
		{[]string{"gh-ost", "--cut-over", "=", "t"}, []string{"two-step"}},
		{[]string{"gh-ost", "--cut-over", "="}, []string{"atomic", "two-step"}},
		{[]string{"gh-ost", "--storage-engine", "r"}, []string{"rocksdb"}},
		{[]string{"gh-ost", "--host", "=", "l"}, nil},
		{[]string{"gh-ost", "--hooks-path", "=", filepath.Dir(directory) + "/" + filepath.Base(directory)[:2]}, []string{directory}},
		{[]string{"gh-ost", "--no-such"}, nil},
	} {
		words := ""
		for _, word := range test.words {
			words += " '" + word + "'"
		}
		script := fmt.Sprintf("compopt() { :; }; source ../../../doc/completion/gh-ost.bash; COMP_WORDS=(%s); COMP_CWORD=%d; _gh_ost; printf '%%s\\n' \"${COMPREPLY[@]}\"",
			words, len(test.words)-1)
		output, err := exec.CommandContext(t.Context(), bash, "-c", script).CombinedOutput()
		require.NoError(t, err, string(output))
		offers := slices.DeleteFunc(strings.Split(string(output), "\n"), func(line string) bool { return line == "" })
		assert.ElementsMatch(t, test.offers, offers, test.words)
	}
}

func TestOtherShellsCanReadTheirCompletions(t *testing.T) {
	for shell, file := range map[string]string{"zsh": "_gh-ost", "fish": "gh-ost.fish"} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("no %s here", shell)
			}
			output, err := exec.CommandContext(t.Context(), program, "-n", "../../../doc/completion/"+file).CombinedOutput()
			require.NoError(t, err, string(output))
		})
	}
}
