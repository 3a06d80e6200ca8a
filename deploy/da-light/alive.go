package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A range of headers is requested from the peers that are connected when the request begins. When none of them answers, because they
// vanish, or are starting and announce a head before they serve it, celestia-node waits for ever and stores no header until it is
// started again, although it knows the head of its network (https://github.com/celestiaorg/go-header/issues/240).

// defaultMaxStall is longer than a slow network takes for 64 headers, which celestia-node requests and stores at once.
const defaultMaxStall = 3 * time.Minute

var progressFile = filepath.Join(os.TempDir(), "da-light-progress")

// syncState has the height of the newest stored header, and that up to which headers are requested, or were.
type syncState struct {
	Height uint64 `json:"height"`
	Target uint64 `json:"to_height"`
}

// progress is the height that an unfinished sync has reached, and when a probe found it first. It is zero while nothing is requested:
// a network that makes no blocks is no reason to start its nodes again.
type progress struct {
	Height uint64    `json:"height"`
	Since  time.Time `json:"since"`
}

func follow(before progress, state syncState, now time.Time) progress {
	switch {
	case state.Target <= state.Height:
		return progress{}
	case before.Height == state.Height && !before.Since.IsZero():
		return before
	default:
		return progress{Height: state.Height, Since: now}
	}
}

func alive() error {
	limit, err := maxStall()
	if err != nil {
		return err
	}
	connection, err := net.DialTimeout("tcp", rpcAddress, answerTime)
	if err != nil {
		return err
	}
	connection.Close()
	var state syncState
	if call("header.SyncState", &state) != nil {
		// It listens, so it may be busy, and another start would not help.
		return nil
	}
	before, err := readProgress()
	if err != nil {
		return err
	}
	now := time.Now()
	current := follow(before, state, now)
	if current != before {
		if err := writeProgress(current); err != nil {
			return err
		}
	}
	if stall := now.Sub(current.Since).Truncate(time.Second); !current.Since.IsZero() && stall > limit {
		return fmt.Errorf("header %d is the newest for %s, more than %s, while those up to %d are requested",
			state.Height, stall, limit, state.Target)
	}
	return nil
}

func maxStall() (time.Duration, error) {
	text := os.Getenv("DA_LIGHT_MAX_STALL")
	if text == "" {
		return defaultMaxStall, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("DA_LIGHT_MAX_STALL: expected seconds, got %q", text)
	}
	return time.Duration(seconds) * time.Second, nil
}

// forgetProgress removes what the probes of the process before remembered: the file outlives a container.
func forgetProgress() error {
	if err := os.Remove(progressFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func readProgress() (progress, error) {
	text, err := os.ReadFile(progressFile)
	if errors.Is(err, os.ErrNotExist) {
		return progress{}, nil
	}
	if err != nil {
		return progress{}, err
	}
	var before progress
	if json.Unmarshal(text, &before) != nil {
		// A probe was ended while it wrote.
		return progress{}, nil
	}
	return before, nil
}

func writeProgress(current progress) error {
	text, err := json.Marshal(current)
	if err != nil {
		return err
	}
	return os.WriteFile(progressFile, text, 0o600)
}
