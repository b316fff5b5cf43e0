/** Third-party notices: `dist/dashboard/notices.txt` is in the package, the image and the executable, and every sandbox serves it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledPackages, installedPackages } from './published.mjs'

export const noticesFile = 'dist/dashboard/notices.txt'

const filesOf = ({ folder }) =>
  readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .map((name) => join(folder, name))

/** The text of this license names nobody, so that of another package will do. */
const sharedLicense = 'Apache-2.0'

/** Returns the texts of a package's license files. Throws if there are none. */
function licenseTexts(one, packages) {
  const isAlike = (other) => other === one || (one.license === sharedLicense && other.license === sharedLicense)
  const [files] = [one, ...packages]
    .filter(isAlike)
    .map(filesOf)
    .filter((found) => found.length > 0)
  if (files === undefined) throw new Error(`${one.ref} has no license file: add its text to the notices`)
  return files.sort().map((file) => readFileSync(file, 'utf8').replaceAll('\r', '').trim())
}

const isCopyright = (line) => /^\s*copyright\b.*(\d{4}|\(c\))/i.test(line)

/** Quotes, spaces and headings differ between copies of one license, and the appendix of the Apache License is not part of its terms. */
const wordsOf = (terms) =>
  terms
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
    .replace(/^(the)?mitlicense(mit)?/, '')
    .replace(/appendixhowtoapplytheapachelicense.*$/, '')

/** Licenses that differ only in their copyright lines are printed once, below the packages and their lines. */
function licenseGroups(packages) {
  const groups = new Map()
  for (const one of packages)
    for (const text of licenseTexts(one, packages)) {
      const lines = text.split('\n')
      const kept = lines.filter((line) => !isCopyright(line)).join('\n')
      const terms = kept.replaceAll(/\n{3,}/g, '\n\n').trim()
      const key = wordsOf(terms)
      const group = groups.get(key) ?? { terms, owners: new Map() }
      const copyright = lines
        .filter(isCopyright)
        .map((line) => `  ${line.trim()}`)
        .join('\n')
      group.owners.set(copyright, [...(group.owners.get(copyright) ?? []), one.ref])
      groups.set(key, group)
    }
  return [...groups.values()]
}

/** Writes the notices for these bundled source files. */
export function writeNotices(inputs) {
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  const groups = licenseGroups(bundledPackages(inputs)).map(({ terms, owners }) =>
    [...[...owners].map(([copyright, refs]) => [...refs, copyright].join('\n')), '', terms].join('\n'),
  )
  const installed = installedPackages().map(({ ref }) => ref)
  const text = [
    'payments-sandbox contains code of the following packages, under these licenses.',
    ...groups,
    `The image and the executable contain none of the following packages. npm installs them beside payments-sandbox, each with its own license file:\n\n${installed.join('\n')}`,
  ]
  writeFileSync(noticesFile, `${text.join(rule)}\n`)
}

/** Adds the license of Node, which an executable contains. */
export const withNode = (notices, version, license) =>
  `${notices}\n${'-'.repeat(80)}\n\nThis executable contains node@${version}, under this license.\n\n${license}`
