package ledger_test

import (
	"go/ast"
	"go/parser"
	source "go/token"
	"path/filepath"
	"testing"
)

// cases are the faults of money, stream and books that other shops have met, and
// the tests that show them not to be ours.
var cases = []struct {
	fault string
	tests []string
}{
	{"the group of the stream is gone, and the worker spins", []string{"TestStreamDeletedWhileRunning", "TestBrokenStreamIsNoSpin", "TestReader_MakesALostGroupAgain"}},
	{"an entry in hand has lost its content", []string{"TestGhostInTheStream", "TestReader_GhostLeavesThePendingList"}},
	{"removing an idle consumer removes its orders", []string{"TestIdleConsumerTakesNoOrderWithIt", "TestForgettingConsumersLosesNoWinner"}},
	{"what was acknowledged comes again after a failover", []string{"TestRedeliveryChangesNothing", "TestEntriesThatComeAgainAfterAFailover"}},
	{"one bad entry blocks its batch", []string{"TestOneBadEntryDoesNotBlockItsBatch", "TestPoison", "TestReader_UnreadableEntryIsAFaultNotAnEnd"}},
	{"a pooler of transactions loses prepared statements", []string{"TestThroughPgBouncer"}},
	{"transactions lock in different orders", []string{"TestSerializable", "TestDeadlockIsRunAgain", "TestPaymentAndExpiryRace", "TestStorm"}},
	{"money comes after the hold ran out, and the unit is sold", []string{"TestLatePaymentFindsNothingLeft", "TestLatePaymentTakesAUnitThatIsLeft", "TestLatePaymentIsAlwaysRefunded"}},
	{"money comes beside another order of its account", []string{"TestLatePaymentBesideAnotherOrder"}},
	{"one key, another content", []string{"TestSamePaymentWithAnotherBody", "TestPaymentThatIsWrong", "TestGate_SameKeySameHold", "TestKeyReuse"}},
	{"one payment, two orders", []string{"TestOnePaymentForTwoLateOrdersTakesOneUnit"}},
	{"one order, two payments", []string{"TestTwoPaymentsForOneOrderAtOnce", "TestLatePaymentsAtOnceTakeOneUnit"}},
	{"another amount than the price", []string{"TestPaymentIsHeldToThePrice", "TestWrongAmountMovesNothing", "TestPaymentForSeveralUnits", "TestOrderKeepsItsPrice"}},
	{"holds are stuck when the process that made them dies", []string{"TestHoldsEndWithoutTheProcessThatMadeThem", "TestExpiryGivesBackOnce"}},
	{"a unit is shown as free before it is", []string{"TestUnitIsOnSaleWhenItIsShown"}},
	{"a notice comes many times at once", []string{"TestSameNoticeTwentyTimes", "TestTwentyCopiesOverTwoWorkers"}},
	{"notices come in the wrong order", []string{"TestNoticesInTheWrongOrder", "TestCancel"}},
	{"a notice comes before the order is written", []string{"TestEarlyPaymentIsKeptAndApplied", "TestEarlyPaymentWhoseOrderNeverComes", "TestEarlyNoticeOfNoMoney"}},
	{"a notice comes at the instant at which the hold ends", []string{"TestPaymentAtTheDeadline"}},
	{"a refund is announced and nobody listens", []string{"TestShopsThatDoNotTakeARefund", "TestShopThatIsNotThere", "TestHangingShopHoldsUpABatchOnce"}},
	{"a refund is announced twice at once, or its taking is forgotten", []string{"TestOneDeliveryOfARefundAtATime", "TestAcknowledgementThatWasLost", "TestDeliveryThatOutlivesItsLease", "TestEndInTheMiddleOfADelivery"}},
}

// TestCasesHaveTheirTests: what the table names is there.
func TestCasesHaveTheirTests(t *testing.T) {
	t.Parallel()
	there := make(map[string]bool)
	for _, folder := range []string{".", "../gate", "../proxy"} {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		check(t, err)
		for _, name := range files {
			file, err := parser.ParseFile(source.NewFileSet(), name, nil, parser.SkipObjectResolution)
			check(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					there[f.Name.Name] = true
				}
			}
		}
	}
	for _, c := range cases {
		for _, name := range c.tests {
			if !there[name] {
				t.Errorf("%s: there is no %s", c.fault, name)
			}
		}
	}
}
