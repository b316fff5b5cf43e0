/** The READMEs of the packages for other languages: the code and tests of each run unchanged with its test runner, if that is installed. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { someOf } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { ended, launchShell } from '../support/program.js'
import { answers, junitJar } from '../support/tools.js'

beforeAll(async () => void (await built()))

/** The clone that the pages expect next to the project. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = join(import.meta.dirname, '../../packages')

interface Language {
  /** The folder in `packages`, whose README has the code. */
  folder: string
  /** The language name of the code blocks. */
  marked: string
  /** Commands that succeed if the language's tools are installed. */
  needs: readonly string[]
  /** The position of the shell block on the page. */
  block: number
  env?: Record<string, string>
  /** Files that every project has. */
  files?: Record<string, string>
  passed: RegExp
}

const goModule = { 'go.mod': 'module payments\n\ngo 1.19\n' }

/** Links the package as if it were installed. */
const installedPython = { PYTHONPATH: join(packages, 'python/src'), PYTEST_PLUGINS: 'payments_sandbox.plugin' }

const languages: Record<string, Language> = {
  'Python with pytest': {
    folder: 'python',
    marked: 'python',
    needs: ['python3 -m pytest --version'],
    block: 1,
    env: installedPython,
    passed: /4 passed/,
  },
  'Go with testing': {
    folder: 'go',
    marked: 'go',
    needs: ['go version'],
    block: 0,
    files: goModule,
    passed: /^ok\s+payments/m,
  },
  'Java with JUnit 5': {
    folder: 'java',
    marked: 'java',
    needs: ['javac -version', `test -e ${junitJar}`],
    block: 1,
    env: { JUNIT_JAR: junitJar, PACKAGE: join(packages, 'java') },
    passed: /3 tests successful/,
  },
  'Java without a test framework': {
    folder: 'java',
    marked: 'java',
    needs: ['javac -version'],
    block: 2,
    env: { PACKAGE: join(packages, 'java') },
    passed: /"amount_net":"24\.75"/,
  },
  'PHP with PHPUnit': {
    folder: 'php',
    marked: 'php',
    needs: ['php --version', 'phpunit --version'],
    block: 0,
    passed: /OK \(3 tests/,
  },
}

const isHere = ({ needs }: Language) => needs.every(answers)

/** Each language needs its tools, so the normal check runs one page, and the long tests run all. */
const here = Object.entries(languages).filter(([, language]) => isHere(language))
const absent = Object.keys(languages).filter((name) => !here.some(([one]) => one === name))

const blocksOf = (folder: string, marked: string) =>
  [
    ...readFileSync(join(packages, folder, 'README.md'), 'utf8').matchAll(
      new RegExp(`\`\`\`${marked}\n([\\s\\S]*?)\`\`\``, 'g'),
    ),
  ].map(([, code = '']) => code)

/** Returns the file name in the first comment of a code block. */
const nameOf = (code: string) => /^(?:<\?php\n)?(?:#|\/\/) (\S+)\n/.exec(code)?.[1]

for (const [name, { folder: language, marked, block, env, files = {}, passed }] of someOf(here, 1))
  test(`the code of the README for ${name} passes unchanged`, async () => {
    const folder = temporaryFolder()
    const cwd = join(folder, 'project')
    mkdirSync(cwd)
    symlinkSync(root, join(folder, 'payments-sandbox'))
    for (const code of blocksOf(language, marked)) writeFileSync(join(cwd, nameOf(code) ?? 'unnamed'), code)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text)
    const command = blocksOf(language, 'sh')[block] ?? 'false'
    const { code, stdout, stderr } = await ended(launchShell(`set -e\n${command}`, { cwd, env: { ...env } }))
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toMatch(passed)
  })

test('languages that are not installed are reported, and are an error when all are required', () => {
  for (const name of absent)
    console.warn(`not run, for want of its tools: ${name} (${languages[name]?.needs.join(', ')})`)
  if (process.env.ALL_LANGUAGES === '1') expect(absent).toEqual([])
  expect([...here.map(([name]) => name), ...absent].sort()).toEqual(Object.keys(languages).sort())
})

test('every package names its code blocks, and the overview links to its README', () => {
  const overview = readFileSync(join(root, 'docs/other-languages.md'), 'utf8')
  for (const { folder, marked } of Object.values(languages)) {
    expect(overview).toContain(`(../packages/${folder}/README.md)`)
    for (const code of blocksOf(folder, marked)) expect(nameOf(code), code.slice(0, 60)).toMatch(/^[\w.]+$/)
  }
})
