/** Chooses the language of a report's example code: the flag, else the language of the command or of the folder. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { keysOf } from '../../inside/values.js'
import { type Language, languages } from './languages.js'

/** How a project in this language is recognized: the names of its commands, and files in its folder. */
const signs: Record<Language, { command: RegExp; files: readonly string[] }> = {
  node: { command: /^(node|npm|npx|bun|deno|tsx|yarn|pnpm)$/, files: ['package.json'] },
  python: {
    command: /^(python[\d.]*|uv|poetry|flask|gunicorn|uvicorn|pytest)$/,
    files: ['pyproject.toml', 'requirements.txt', 'Pipfile', 'manage.py'],
  },
  php: { command: /^(php[\d.]*|artisan|composer)$/, files: ['composer.json', 'artisan'] },
}

const fallback: Language = 'node'

export function addLanguageFlag(command: Command): void {
  const names = keysOf(languages)
  command.addOption(
    new Option(
      '--language <name>',
      `language of the example code in the report (default: the language of the command or of the current folder, else ${fallback})`,
    ).choices(names),
  )
}

export function languageOf(flagLanguage: Language | undefined, [command = '']: readonly string[] = []): Language {
  const names = keysOf(languages)
  return (
    flagLanguage ??
    names.find((name) => signs[name].command.test(basename(command))) ??
    names.find((name) => signs[name].files.some((file) => existsSync(file))) ??
    fallback
  )
}
