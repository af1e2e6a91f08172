package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
)

// spy remembers the last EVALSHA that a client sent.
type spy struct {
	mu   sync.Mutex
	last []any
}

func (s *spy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		s.note(cmd)
		return next(ctx, cmd)
	}
}

func (s *spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		s.note(cmds[0])
		return next(ctx, cmds)
	}
}

func (s *spy) note(cmd redis.Cmder) {
	if !strings.EqualFold(cmd.Name(), "evalsha") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = cmd.Args()
}

// somebody is the number in the names of one request; redis-benchmark writes
// another of twelve digits in its place each time.
const somebody = 123456789012

// names is of how many numbers redis-benchmark draws: the most that it can.
const names = "2000000000"

// raw lets redis-benchmark send what the package sends.
func raw(ctx context.Context, o options, s *stand) (time.Duration, error) {
	if _, err := s.gate.Reserve(ctx, request(somebody)); err != nil {
		return 0, err
	}
	host, port, err := net.SplitHostPort(s.server.Addr)
	if err != nil {
		return 0, err
	}
	args := []string{"-h", host, "-p", port, "-c", fmt.Sprint(o.conns), "-P", fmt.Sprint(o.pipeline),
		"-n", fmt.Sprint(o.reserves), "-r", names, "--csv"}
	for _, a := range s.seen.last {
		args = append(args, strings.ReplaceAll(fmt.Sprint(a), fmt.Sprint(int64(somebody)), "__rand_int__"))
	}
	owner := &testserver.Measurement{}
	defer owner.End()
	out, err := exec.CommandContext(ctx, testserver.Tool(owner, "redis-benchmark"), args...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("run redis-benchmark: %w\n%s", err, out)
	}
	return parseCSV(out, o.reserves)
}

var rps = regexp.MustCompile(`"([0-9.]+)"`)

// parseCSV reads how long it took, by redis-benchmark's own clock: reserves a
// second are the first number of the last line.
func parseCSV(out []byte, reserves int) (time.Duration, error) {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	cells := rps.FindAllStringSubmatch(lines[len(lines)-1], -1)
	if len(cells) == 0 {
		return 0, errors.New("redis-benchmark said " + string(out))
	}
	var perSecond float64
	if err := json.Unmarshal([]byte(cells[0][1]), &perSecond); err != nil {
		return 0, err
	}
	return time.Duration(float64(reserves) / perSecond * float64(time.Second)), nil
}
