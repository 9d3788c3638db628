// One line per test file, the failures in full, skipped tests by name; totals go to the file that tools/test.mjs names.
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

class TinyReporter {
  constructor({ rootDir }, { summaryFile, byName = false } = {}) {
    this.rootDir = rootDir;
    this.summaryFile = summaryFile;
    /** Tests that a name filter left out are no skipped tests. */
    this.byName = byName;
  }

  onTestResult(_test, result) {
    const file = relative(this.rootDir, result.testFilePath);
    const { numPassingTests: passed, numFailingTests: failed, perfStats } = result;
    if (this.byName && passed + failed === 0 && !result.testExecError) return;
    const state = failed > 0 || result.testExecError ? 'FAIL' : 'ok  ';
    const time = seconds(perfStats.end - perfStats.start);
    process.stdout.write(`    ${state} ${file} (${passed + failed} tests, ${time})\n`);
    if (result.failureMessage) process.stdout.write(`${result.failureMessage}\n`);
    if (this.byName) return;
    for (const { status, fullName } of result.testResults)
      if (status === 'pending' || status === 'todo') process.stdout.write(`    skip ${file}: ${fullName}\n`);
  }

  onRunComplete(_contexts, results) {
    if (!this.summaryFile) return;
    const summary = {
      passed: results.numPassedTests,
      // A file that does not even load has no test to fail: it counts as one.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: this.byName ? 0 : results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(this.summaryFile, JSON.stringify(summary));
  }
}

module.exports = TinyReporter;
