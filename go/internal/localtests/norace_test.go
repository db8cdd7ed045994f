//go:build !race

package localtests

const raceDetector = false
