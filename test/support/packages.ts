/** Runs the tests of the library or of a package for another language with its test runner, and reads which behaviours passed. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ended, launchShell } from './program.js'
import { answers, junitJar } from './tools.js'

const folder = fileURLToPath(new URL('../../packages/', import.meta.url))

interface PackageRow {
  /** The folder in `packages`. */
  folder: string
  /** Commands that succeed if the package's tools are installed. */
  needs: readonly string[]
  /** Runs the tests, in the package's folder. */
  command: string
  /** Matches the `number` and the `result` of a behaviour in the output. */
  result: RegExp
  passed: string
  /** Whether the normal check runs it too, because it takes only a few seconds. */
  quick?: true
}

export const packageRows: Readonly<Record<string, PackageRow>> = {
  // The normal check runs its tests anyway.
  Node: {
    folder: '..',
    needs: [],
    command:
      'NO_COLOR=1 npx vitest run --config test/vitest.config.ts --reporter=verbose test/library/behaviours.test.ts',
    result: /(?<result>✓|×) test\/library\/behaviours\.test\.ts > (?<number>\d+)\. /g,
    passed: '✓',
  },
  Python: {
    folder: 'python',
    needs: ['python3 -m pytest --version'],
    command: 'python3 -m pytest -v --color=no -p no:cacheprovider',
    result: /::test_(?<number>\d+)\S* (?<result>\w+)/g,
    passed: 'PASSED',
    quick: true,
  },
  Java: {
    folder: 'java',
    needs: ['javac -version', `test -e ${junitJar}`],
    command: `rm -rf target/check && javac -Xlint:all -Werror -d target/check -cp ${junitJar} $(find src -name '*.java') &&
      java -jar ${junitJar} --class-path target/check --scan-class-path --disable-banner --disable-ansi-colors`,
    result: /─ (?<number>\d+)\. .* (?<result>✔|✘)/gu,
    passed: '✔',
  },
  Go: {
    folder: 'go',
    needs: ['go version'],
    command: 'gofmt -l . | (! grep .) && go vet ./... && go test -count=1 -v ./...',
    result: /--- (?<result>PASS|FAIL): TestBehaviours\/(?<number>\d+)_/g,
    passed: 'PASS',
  },
  PHP: {
    folder: 'php',
    needs: ['php --version', 'phpunit --version'],
    command:
      'find . -name "*.php" -exec php -l {} \\; | (! grep -v "^No syntax errors") && phpunit --no-configuration --do-not-cache-result --testdox tests',
    result: /^ (?<result>\S) (?<number>\d+)\. /gm,
    passed: '✔',
  },
}

/** Behaviours by their numbers. */
export const behaviours: ReadonlyMap<number, string> = new Map(
  [...readFileSync(`${folder}behaviours.md`, 'utf8').matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, title = '']) => [
    Number(number),
    title,
  ]),
)

/** Returns the commands in `needs` that fail here. */
export const missingTools = ({ needs }: PackageRow): string[] => needs.filter((command) => !answers(command))

export interface PackageRun {
  code: number | null
  output: string
  /** Whether all tests of a behaviour passed, by its number. */
  passed: ReadonlyMap<number, boolean>
}

export async function runPackage(row: PackageRow): Promise<PackageRun> {
  const { code, stdout, stderr } = await ended(launchShell(row.command, { cwd: folder + row.folder }))
  const passed = new Map<number, boolean>()
  for (const { groups } of stdout.matchAll(row.result)) {
    const number = Number(groups?.number)
    passed.set(number, groups?.result === row.passed && (passed.get(number) ?? true))
  }
  return { code, output: stdout + stderr, passed }
}
