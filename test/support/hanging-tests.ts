/** Tests that never end, for each test runner of users: each writes the URL of its sandbox and its own process id to a file whose name begins with `READY`. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { coordinates } from '../../scripts/packages/coordinates.js'
import { temporaryFolder } from './folder.js'

export interface HangingRow {
  /** The language of the package, or `node` for the library. */
  language: 'python' | 'java' | 'go' | 'php' | 'node'
  /** Commands that succeed if the tools are installed. */
  needs: readonly string[]
  /** The number of tests that run at the same time. */
  tests: 1 | 8
  /** The file with the test of this number, in a copy of the package. */
  test(number: number): { file: string; code: string }
  /** Makes the command faster, once. */
  prepare?: string
  command: string
  /** Whether the tests run in other processes than the one that is started. */
  hasWorkers: boolean
  /** Whether its tools may be missing even where all languages are required. */
  isOptional?: true
  /** Whether the normal check runs it too, because it takes only a few seconds. */
  quick?: true
}

const python = (number: number) => ({
  file: `tests/test_hanging${number}.py`,
  code: `import os, time

def test_hangs(sandbox):
    with open(os.environ["READY"] + "${number}", "w") as file:
        file.write(f"{sandbox.url} {os.getpid()}")
    time.sleep(600)
`,
})

const java = (number: number) => ({
  file: `src/test/java/payments/sandbox/Hanging${number}Test.java`,
  code: `package payments.sandbox;

import java.nio.file.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SandboxExtension.class)
class Hanging${number}Test {
  @Test
  void hangs(Sandbox sandbox) throws Exception {
    Files.writeString(Path.of(System.getenv("READY") + "${number}"), sandbox.url + " " + ProcessHandle.current().pid());
    Thread.sleep(600_000);
  }
}
`,
})
const compiledJava = {
  language: 'java',
  needs: ['mvn --version', 'javac -version'],
  test: java,
  // Downloads only what a first run lacks.
  prepare: ['-o', '']
    .map((offline) => `mvn ${offline} -q -B test -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false`)
    .join(' || '),
  hasWorkers: true,
} as const

const go = (number: number) => ({
  file: `hanging${number}/hanging_test.go`,
  code: `package hanging

import (
	"fmt"
	"os"
	"testing"
	"time"

	"${coordinates.goModule}/sandboxtest"
)

func TestMain(m *testing.M) { os.Exit(sandboxtest.Main(m)) }

func TestHangs(t *testing.T) {
	os.WriteFile(os.Getenv("READY")+"${number}", []byte(fmt.Sprint(sandboxtest.New(t).URL, " ", os.Getpid())), 0o600)
	time.Sleep(10 * time.Minute)
}
`,
})

const php = (number: number) => ({
  // PHPUnit runs the tests in its own process, so a plain script shows the same.
  file: `hanging${number}.php`,
  code: `<?php
require_once __DIR__ . '/autoload.php';
$sandbox = PaymentsSandbox\\Sandbox::open();
file_put_contents(getenv('READY') . '${number}', $sandbox->url . ' ' . getmypid());
sleep(600);
`,
})

const nodeCode = (number: number) => `import { writeFileSync } from 'node:fs'
const hang = async ({ sandbox }) => {
  writeFileSync(process.env.READY + '${number}', sandbox.url + ' ' + process.pid)
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}
`
const vitest = (number: number) => ({
  file: `hanging${number}.test.js`,
  code: `import { test } from 'payments-sandbox/vitest'
${nodeCode(number)}test('hangs', ({ sandbox }) => hang({ sandbox }), 600_000)
`,
})
const nodeTest = (number: number) => ({
  file: `hanging${number}.mjs`,
  code: `import { test } from 'node:test'
import { withSandbox } from 'payments-sandbox/node-test'
${nodeCode(number)}test('hangs', withSandbox(hang))
`,
})
/** With the variables of the runner of these tests, another one would join its run. */
const clean = 'exec env -u VITEST -u VITEST_POOL_ID -u NODE_TEST_CONTEXT'

export const hangingRows: Readonly<Record<string, HangingRow>> = {
  pytest: {
    language: 'python',
    needs: ['python3 -m pytest --version'],
    tests: 1,
    test: python,
    command: 'exec python3 -m pytest -q -p no:cacheprovider tests',
    hasWorkers: false,
    quick: true,
  },
  'pytest-xdist': {
    language: 'python',
    needs: ['/usr/bin/python3 -c "import xdist"'],
    isOptional: true,
    tests: 8,
    test: python,
    command: 'exec /usr/bin/python3 -m pytest -q -n 8 -p no:cacheprovider tests',
    hasWorkers: true,
  },
  Maven: { ...compiledJava, tests: 1, command: `exec mvn -o -q -B surefire:test '-Dtest=Hanging*Test'` },
  'Maven with eight forks': {
    ...compiledJava,
    tests: 8,
    command: `exec mvn -o -q -B surefire:test -DforkCount=8 '-Dtest=Hanging*Test'`,
  },
  'a test binary of Go': {
    language: 'go',
    needs: ['go version'],
    tests: 1,
    test: go,
    prepare: 'go test -c -o hanging ./hanging0',
    command: 'exec ./hanging',
    hasWorkers: false,
  },
  'go test -p 8': {
    language: 'go',
    needs: ['go version'],
    tests: 8,
    test: go,
    command: 'exec go test -count=1 -p 8 ./hanging...',
    hasWorkers: true,
  },
  PHP: {
    language: 'php',
    needs: ['php --version'],
    tests: 1,
    test: php,
    command: 'exec php hanging0.php',
    hasWorkers: false,
  },
  'vitest with eight forks': {
    language: 'node',
    needs: [],
    tests: 8,
    test: vitest,
    command: `${clean} node node_modules/vitest/vitest.mjs run --pool=forks --maxWorkers=8`,
    hasWorkers: true,
  },
  'node --test': {
    language: 'node',
    needs: [],
    tests: 1,
    test: nodeTest,
    command: `${clean} node --test hanging0.mjs`,
    hasWorkers: true,
  },
}

/** Copies the package of a row, with the hanging tests as its only tests beside their support. */
export function hangingPackage({ language, tests, test }: HangingRow): string {
  const folder = temporaryFolder()
  const root = resolve(import.meta.dirname, '../..')
  if (language === 'node') {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/payments-sandbox'), 'junction')
    symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  } else {
    const left = /BehavioursTest|CallsTest|EndpointsTest|test_behaviours|test_endpoints|\/target/
    cpSync(join(root, 'packages', language), folder, { recursive: true, filter: (path) => !left.test(path) })
  }
  for (let number = 0; number < tests; number += 1) {
    const { file, code } = test(number)
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), code)
  }
  return folder
}
