/** A test that never ends, in each language with a package: it writes the URL of its sandbox and its own process id to the file `READY`. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { coordinates } from '../../scripts/packages/coordinates.js'
import { temporaryFolder } from './folder.js'

interface HangingRow {
  /** Commands that succeed if the tools are installed. */
  needs: readonly string[]
  /** The file with the test, in a copy of the package. */
  file: string
  code: string
  /** Makes the command faster, once. */
  prepare?: string
  command: string
  /** Whether the normal check runs it too, because it takes only a few seconds. */
  quick?: true
}

export const hangingRows: Readonly<Record<string, HangingRow>> = {
  python: {
    needs: ['python3 -m pytest --version'],
    file: 'tests/test_hanging.py',
    code: `import os, time

def test_hangs(sandbox):
    with open(os.environ["READY"], "w") as file:
        file.write(f"{sandbox.url} {os.getpid()}")
    time.sleep(600)
`,
    command: 'exec python3 -m pytest -q -p no:cacheprovider tests/test_hanging.py',
    quick: true,
  },
  java: {
    needs: ['mvn --version', 'javac -version'],
    file: 'src/test/java/payments/sandbox/HangingTest.java',
    code: `package payments.sandbox;

import java.nio.file.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SandboxExtension.class)
class HangingTest {
  @Test
  void hangs(Sandbox sandbox) throws Exception {
    Files.writeString(Path.of(System.getenv("READY")), sandbox.url + " " + ProcessHandle.current().pid());
    Thread.sleep(600_000);
  }
}
`,
    // Downloads only what a first run lacks.
    prepare: ['-o', '']
      .map((offline) => `mvn ${offline} -q -B test -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false`)
      .join(' || '),
    command: 'exec mvn -o -q -B surefire:test -Dtest=HangingTest',
  },
  go: {
    needs: ['go version'],
    file: 'sandboxtest/hanging_test.go',
    code: `package sandboxtest_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"${coordinates.goModule}/sandboxtest"
)

func TestHangs(t *testing.T) {
	os.WriteFile(os.Getenv("READY"), []byte(fmt.Sprint(sandboxtest.New(t).URL, " ", os.Getpid())), 0o600)
	time.Sleep(10 * time.Minute)
}
`,
    prepare: 'go test -c -o hanging ./sandboxtest',
    command: 'exec ./hanging -test.run TestHangs',
  },
  php: {
    needs: ['php --version'],
    // PHPUnit runs the tests in its own process, so a plain script shows the same.
    file: 'hanging.php',
    code: `<?php
require_once __DIR__ . '/autoload.php';
$sandbox = PaymentsSandbox\\Sandbox::open();
file_put_contents((string) getenv('READY'), $sandbox->url . ' ' . getmypid());
sleep(600);
`,
    command: 'exec php hanging.php',
  },
}

/** Copies the package of a language, with the hanging test as its only test beside its support. */
export function hangingPackage(language: string): string {
  const { file, code } = hangingRows[language] ?? { file: '', code: '' }
  const folder = temporaryFolder()
  const tests = /BehavioursTest|CallsTest|EndpointsTest|test_behaviours|test_endpoints|\/target/
  cpSync(resolve(import.meta.dirname, '../../packages', language), folder, {
    recursive: true,
    filter: (path) => !tests.test(path),
  })
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), code)
  return folder
}
