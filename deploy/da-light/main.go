// Entry point of the image of the data-availability light node. Its settings are variables, in which the store is made anew at
// each start around the keys and headers that are there; its probes are commands, since the image has no shell.
//
//	da-light run    prepare the store, then become `celestia light start`
//	da-light alive  whether it serves, and stores the headers that it requests
//	da-light ready  whether the newest header that the node has verified is young enough, which it stays only while the head advances
//	da-light head   that header's height and time, as JSON
package main

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	celestia   = "/bin/celestia"
	rpcPort    = "26658"
	rpcAddress = "127.0.0.1:" + rpcPort
	// Two of them are shorter than the probe's own limit, so that the reason is printed.
	answerTime = 2 * time.Second
	maxAnswer  = 8 << 20
	// Of a head after which the node is asked to look for its peers: several blocks of any network.
	quietAge = 15 * time.Second
)

func main() {
	commands := map[string]func() error{"run": run, "alive": alive, "ready": ready, "head": printHead}
	command := commands[strings.Join(os.Args[1:], " ")]
	if command == nil {
		fail(fmt.Errorf("unknown command: expected run, alive, ready or head, got %q", os.Args[1:]))
	}
	if err := command(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "da-light: %v\n", err)
	os.Exit(1)
}

func required(name string) (string, error) {
	if value := os.Getenv(name); value != "" {
		return value, nil
	}
	return "", fmt.Errorf("%s: expected a value, got nothing", name)
}

func run() error {
	store, err := required("DA_LIGHT_STORE")
	if err != nil {
		return err
	}
	network, err := required("DA_LIGHT_NETWORK")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	// Of another version, or changed by hand: only the variables count.
	config := filepath.Join(store, "config.toml")
	if err := os.Remove(config); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	place := append([]string{"--node.store", store, "--p2p.network", network}, logging()...)
	initialise := exec.Command(celestia, append([]string{"light", "init"}, place...)...)
	// Its standard output, which is left out, has the mnemonic of the account that it makes.
	initialise.Stderr = os.Stderr
	if err := initialise.Run(); err != nil {
		return fmt.Errorf("celestia light init: %w", err)
	}
	if err := configure(config); err != nil {
		return err
	}
	if err := writeSecret(filepath.Join(store, "keys")); err != nil {
		return err
	}
	if err := forgetProgress(); err != nil {
		return err
	}
	start := append([]string{"celestia", "light", "start", "--rpc.addr", "0.0.0.0", "--rpc.port", rpcPort}, place...)
	return syscall.Exec(celestia, start, os.Environ())
}

func logging() []string {
	switch word := os.Getenv("DA_LIGHT_LOG"); word {
	// The words of our processes that celestia does not know.
	case "off":
		return []string{"--log.level", "FATAL"}
	case "trace":
		return []string{"--log.level", "DEBUG"}
	case "", "info":
		// These have a line for each header, or for each question.
		return []string{"--log.level", "INFO", "--log.level.module", strings.Join([]string{
			"das:WARN", "header/store:WARN", "module/header:WARN", "pruner/service:WARN",
		}, ",")}
	default:
		return []string{"--log.level", strings.ToUpper(word)}
	}
}

// configure sets what celestia has no flags for.
func configure(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	values := map[string]string{"StartupTimeout": `"2m0s"`}
	if hash := os.Getenv("DA_LIGHT_SYNC_FROM_HASH"); hash != "" {
		values["SyncFromHash"] = strconv.Quote(hash)
	}
	if height := os.Getenv("DA_LIGHT_SYNC_FROM_HEIGHT"); height != "" {
		if _, err := strconv.ParseUint(height, 10, 64); err != nil {
			return fmt.Errorf("DA_LIGHT_SYNC_FROM_HEIGHT: expected a height, got %q", height)
		}
		values["SyncFromHeight"] = height
	}
	for key, value := range values {
		line := regexp.MustCompile(`(?m)^(\s*` + key + ` = ).*$`)
		if len(line.FindAll(text, 2)) != 1 {
			return fmt.Errorf("%s: expected one line with %s", file, key)
		}
		text = line.ReplaceAll(text, []byte("${1}"+value))
	}
	return os.WriteFile(file, text, 0o600)
}

// writeSecret puts the key that tokens are checked with where celestia has its own.
func writeSecret(keys string) error {
	text, err := secretFile("jwt-secret")
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 32 {
		return errors.New("jwt-secret: expected 64 hex digits, got something else")
	}
	stored, err := json.Marshal(map[string]string{"body": base64.StdEncoding.EncodeToString(key)})
	if err != nil {
		return err
	}
	name := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("jwt-secret.jwt"))
	file := filepath.Join(keys, name)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, stored, 0o600)
}

func secretFile(name string) (string, error) {
	directory, err := required("DA_LIGHT_SECRET_DIRPATH")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(directory, name))
	return strings.TrimSpace(string(text)), err
}

type head struct {
	Height string    `json:"height"`
	Time   time.Time `json:"time"`
}

// Of the methods that return a header: the newest one that the node has verified, and that after it has asked its peers.
const (
	localHead   = "header.LocalHead"
	networkHead = "header.NetworkHead"
)

func ask(method string) (head, error) {
	var result struct{ Header head }
	err := call(method, &result)
	return result.Header, err
}

func call(method string, result any) error {
	token, err := secretFile("read-token")
	if err != nil {
		return err
	}
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":[]}`)
	request, err := http.NewRequest(http.MethodPost, "http://"+rpcAddress, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: answerTime}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the node does not answer yet: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		return fmt.Errorf("the node answers %s, and no result: %w", response.Status, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("the node has no answer to %s yet: %s", method, answer.Error.Message)
	}
	if len(answer.Result) == 0 || string(answer.Result) == "null" {
		return fmt.Errorf("the node answers %s, and no result", response.Status)
	}
	return json.Unmarshal(answer.Result, result)
}

func ready() error {
	text, err := required("DA_LIGHT_MAX_HEAD_AGE")
	if err != nil {
		return err
	}
	seconds, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("DA_LIGHT_MAX_HEAD_AGE: expected seconds, got %q", text)
	}
	newest, err := ask(localHead)
	if err != nil {
		return err
	}
	if time.Since(newest.Time) > quietAge {
		// A peer that was killed and is back is not connected to again until something asks for it. The answer does not count: the node
		// may still lack headers before that one.
		_, _ = ask(networkHead)
	}
	if age := time.Since(newest.Time).Truncate(time.Second); age > time.Duration(seconds)*time.Second {
		return fmt.Errorf("header %s is %s old, more than %d s: the node is syncing, or receives no new headers", newest.Height, age, seconds)
	}
	return nil
}

func printHead() error {
	newest, err := ask(localHead)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(newest)
}
