//go:build race

package localtests

const raceDetector = true
