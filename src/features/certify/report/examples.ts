/** Example code for failed rules, from the files in `examples/snippets`, and the language in which it is shown. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { program } from '../../../inside/node.js'
import { keysOf } from '../../../inside/values.js'

/** How a project in a language is recognized: the names of its commands, and files in its folder. */
// biome-ignore format: a table, a row a line
export const languages = {
  node: { title: 'Node', file: 'node.mjs', command: /^(node|npm|npx|bun|deno|tsx|yarn|pnpm)$/, files: ['package.json'] },
  python: { title: 'Python', file: 'python.py', command: /^(python[\d.]*|uv|poetry|flask|gunicorn|uvicorn|pytest)$/, files: ['pyproject.toml', 'requirements.txt', 'Pipfile', 'manage.py'] },
  php: { title: 'PHP', file: 'php.php', command: /^(php[\d.]*|artisan|composer)$/, files: ['composer.json', 'artisan'] },
} as const
export type Language = keyof typeof languages
const languageNames = keysOf(languages)

const fallback: Language = 'node'

export interface LanguageFlags {
  json?: boolean
  language?: Language
}

export const addLanguageFlag = (command: Command): Command =>
  command.addOption(
    new Option(
      '--language <name>',
      `language of the example code in the report (default: the language of the command or of the current folder, else ${fallback})`,
    ).choices(languageNames),
  )

export function languageOf(flagLanguage: Language | undefined, [command = '']: readonly string[] = []): Language {
  return (
    flagLanguage ??
    languageNames.find((name) => languages[name].command.test(basename(command))) ??
    languageNames.find((name) => languages[name].files.some((file) => existsSync(file))) ??
    fallback
  )
}

/** The sections of the files, each below a comment such as `// --- verify`. */
const sectionHead = /^(?:\/\/|#) --- ([a-z]+)\n/m

/** Returns the example of this name; undefined if the package is incomplete. */
export function exampleIn(language: Language, name: string): string | undefined {
  const [, ...parts] = program.read(`examples/snippets/${languages[language].file}`)?.split(sectionHead) ?? []
  return parts[parts.indexOf(name) + 1]?.trimEnd()
}
