package proxy

import (
	"testing"

	"github.com/waitroom/waitroom/proxy/challenge"
	"github.com/waitroom/waitroom/queueing"
)

// A challenge that was answered is remembered for as long as it is good.
func TestProofsOutliveChallenges(t *testing.T) {
	t.Parallel()
	if challenge.Life >= queueing.MaxProof {
		t.Errorf("challenges are good for %v, their proofs are remembered for %v; want longer", challenge.Life, queueing.MaxProof)
	}
}
