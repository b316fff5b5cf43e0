/** How a certification cuts the bodies that it sends in two pieces. */
import { expect, test } from 'vitest'
import { answered, certifyTimeless } from '../support/certify.js'
import { plant } from '../support/own-time.js'

test('a receiver is sent a body whose first piece has 20 bytes, and one that is cut inside a letter', async () => {
  const sent: { chunks: Buffer[] }[] = []
  await certifyTimeless([[answered, `${plant(sent)}.push({ chunks })\n        ${answered}`]])
  const firstPieces = sent.flatMap(({ chunks }) => (chunks.length > 1 ? (chunks[0] ?? []) : []))
  const isCutInLetter = (piece: Buffer) => (piece.at(-1) ?? 0) > 0x7f
  expect(firstPieces.map((piece) => (isCutInLetter(piece) ? 'inside a letter' : piece.length)).sort()).toEqual([
    20,
    'inside a letter',
  ])
})
