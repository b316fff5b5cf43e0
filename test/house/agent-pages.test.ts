/** The skill for agents. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const skill = readFileSync(join(import.meta.dirname, '../../skills/payments-sandbox/SKILL.md'), 'utf8')

test('the front matter of the skill has the name of its folder, and a description that fits', () => {
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
  expect(name).toBe('payments-sandbox')
  expect(description.length).toBeGreaterThan(100)
  expect(description.length).toBeLessThanOrEqual(1024)
})
