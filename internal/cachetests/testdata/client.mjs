// The suite's own client against one cache: node client.mjs BASE [ID…]
//
// Prints one object: what the behaviours are, and what came of each. With ids it
// tries only these. What the suite says meanwhile goes to standard error.
import fetch from 'node-fetch'
import { getResults, runTests } from 'http-cache-tests/client/runner.mjs'
import surrogate from 'http-cache-tests/tests/surrogate-control.mjs'
import suites from 'http-cache-tests/tests/index.mjs'

console.log = console.error
const [base, ...ids] = process.argv.slice(2)
const groups = [...suites, surrogate].map(group => ({ ...group, tests: group.tests.filter(test => !test.browser_only) }))
const wanted = ({ id }) => !ids.length || ids.includes(id)

await runTests(groups.map(group => ({ ...group, tests: group.tests.filter(wanted) })), fetch, false, base)

// What guards demands that a stored answer is not used, or not without asking, and
// does not only presuppose it.
const guards = ({ expected_type: type = '', setup, setup_tests: premises = [] }) =>
  !setup && !premises.includes('expected_type') && (type === 'not_cached' || type.endsWith('_validated'))

process.stdout.write(JSON.stringify({
  groups: groups.map(({ id, name }) => ({ id, name })),
  behaviours: groups.flatMap(({ id: group, tests }) => tests.map(
    ({ id, name, kind = 'required', depends_on: needs, requests }) => ({ id, name, kind, needs, group, guards: requests.some(guards) }))),
  results: getResults()
}))
