/** Personal values and secrets in undocumented fields are recognized by their form and by their names in three languages. */
import { expect, test } from 'vitest'
import { isDocument } from '../../src/protocol/rails/pix-key.js'
import { openEcho, openTestRecorder, post } from '../support/recorder.js'

/** Sends a body through a recorder, and returns the recorded one. */
async function recordedBody(body: Record<string, unknown>) {
  const recorder = await openTestRecorder(await openEcho())
  const sent = JSON.stringify(body)
  expect(await post(`${recorder.url}/any`, sent)).toBe(sent)
  const { entries, _masked } = await recorder.logWithEntry()
  return { text: await recorder.text(), masked: _masked, body: JSON.parse(entries[0]?.request.postData?.text ?? '') }
}

const cpf = '39053344705'

test('a valid document is recognized by its check digits, whatever the end of the name of its field', async () => {
  const fields = ['tax_id', 'national_id', 'documentId', 'order_id', 'external_id', 'code', 'thing']
  const { body, text } = await recordedBody({
    ...Object.fromEntries(fields.map((field) => [field, cpf])),
    ...{ number: Number(cpf), word: `cpf${cpf}`, sentence: `of ${cpf}, cpf:${cpf}.`, spaced: 'is 390 533 447-05 ok' },
    ...{ company: 'cnpj12ABC34501DE35', path: `/people/${cpf}/x` },
  })
  expect(text).not.toContain(cpf)
  const pseudonym = body.thing
  expect(isDocument(pseudonym)).toBe(true)
  expect(fields.map((field) => body[field])).toEqual(fields.map(() => pseudonym))
  expect([String(body.number), body.word, body.sentence]).toEqual([
    pseudonym,
    `cpf${pseudonym}`,
    `of ${pseudonym}, cpf:${pseudonym}.`,
  ])
  expect(body.path).toBe(`/people/${pseudonym}/x`)
  expect(body.company).toMatch(/^cnpj(?!12ABC34501DE35)/)
  expect(isDocument(body.company.slice(4))).toBe(true)
})

test('a document within an id is replaced, but not within a UUID, and what repeats the id does not show it', async () => {
  const [uuid, id] = ['abcdefab-cdef-4abc-8abc-a39053344705', 'aB3dE.12345678/0001-95.xYzW9kL']
  const { body, text } = await recordedBody({
    ...{ reference: `order-${cpf}`, request_id: uuid, external_id: id, thing: `see ${id} there` },
  })
  expect(body.reference).toMatch(/^order-\d{11}$/)
  expect([body.reference, body.request_id]).toEqual([expect.not.stringContaining(cpf), uuid])
  expect(text).not.toContain('12345678/0001-95')
})

test('a known name, document or telephone number is replaced wherever it stands in a text, in any letter case', async () => {
  const { body } = await recordedBody({
    ...{ phone: '+44 (20) 7946-0958', payer: { name: 'Ana Souza', document: cpf }, nome: 'Quuxley' },
    ...{ end: 'paid by ANA SOUZA', sentence: 'thanks, Quuxley! paid by Ana Souza.', thing: 'QUUXLEY' },
    ...{ call: 'call +44 (20) 7946-0958 now', external_id: 'quuxley' },
    ...{ link: `see https://shop.example/Quuxley/${cpf} or a////b there` },
  })
  const { payer, phone, nome } = body
  expect(nome).not.toBe('Quuxley')
  expect(body).toEqual({
    ...{ phone, payer, nome, end: `paid by ${payer.name.toUpperCase()}` },
    ...{ sentence: `thanks, ${nome}! paid by ${payer.name}.`, thing: nome.toUpperCase() },
    ...{ call: `call ${phone} now`, external_id: nome.toLowerCase() },
    link: `see https://shop.example/${nome}/${payer.document} or a////b there`,
  })
})

test('a known name with a point at its end, and a known number with spaces or brackets, are replaced within a text', async () => {
  const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
  const [company, phones] = ['Zardoz S.A.', ['+44 20 7946 0958', '(11) 98765-4321']]
  const { body, text } = await recordedBody({
    ...{ payer: { name: company }, phones },
    notes: [
      `paid by ${company} today`,
      `paid by ${company.slice(0, -1)}, again`,
      ...phones.map((one) => `call ${one} now`),
    ],
    ...{ thing: `+${cpf}`, sentence: `paid to ${address}.` },
  })
  expect(text).not.toMatch(/zardoz|7946|98765|39053344705/i)
  expect(body.sentence).toMatch(/^paid to (?!TJRabPrw)T\w{33}\.$/)
  expect(body.notes.slice(0, 2)).toEqual([
    `paid by ${body.payer.name} today`,
    `paid by ${body.payer.name.slice(0, -1)}, again`,
  ])
})

test('what an undocumented field of a person contains is replaced', async () => {
  const { text } = await recordedBody({
    ...{ payer: { first: 'Wilhelmina' }, creditParty: { alias: 'Quuxley' }, receiver: 'Xerxes Zardoz' },
  })
  expect(text).not.toMatch(/wilhelmina|quuxley|xerxes|zardoz/i)
})

test('a known name of four letters is replaced in a text and as an id, and a shorter one stays as a common word', async () => {
  const { body } = await recordedBody({
    ...{ payers: [{ name: 'Lia' }, { name: 'Nara' }], short: 'to Lia by Lia', long: 'to Nara by Nara' },
    ...{ external_id: 'Lia', reference: 'Nara' },
  })
  const nara = body.payers[1].name
  expect(nara).not.toBe('Nara')
  expect([body.short, body.external_id]).toEqual(['to Lia by Lia', 'Lia'])
  expect([body.long, body.reference]).toEqual([`to ${nara} by ${nara}`, nara])
})

test('a known name of six words is recognized within a text, and one of seven short words is not', async () => {
  const names = ['Ana Bea Eva Ida Lia Mia', 'Jo Al Ed Cy Bo Di Ty']
  const { body } = await recordedBody({
    payers: names.map((name) => ({ name })),
    notes: names.map((name) => `of ${name} now`),
  })
  expect(body.notes).toEqual([`of ${body.payers[0].name} now`, `of ${names[1]} now`])
  expect(body.payers[0].name).not.toBe(names[0])
})

test('a card number and a CLABE are replaced by valid ones, also within a text and as a number', async () => {
  const { body, text } = await recordedBody({
    ...{
      thing: '4111111111111111',
      note: 'card 4111 1111 1111 1111 and 032 180 00011835971 9, or 5555 5555 5555 4444',
    },
    ...{ number: 4111111111111111, ref_id: '032180000118359719', time: 1795472137907 },
  })
  expect(text).not.toMatch(/4111 ?1111 ?1111|5555 ?5555|032180000118359719/)
  expect(body.thing).toMatch(/^411111\d{10}$/)
  expect([String(body.number), body.time]).toEqual([body.thing, 1795472137907])
  expect(body.note.replaceAll(' ', '').split(',')[0]).toBe(`card${body.thing}and${body.ref_id}`)
})

test('names, telephone numbers, dates of birth and postcodes are replaced in Portuguese, Spanish and English', async () => {
  const values = {
    ...{ titular: 'Wilhelmina Zzyzx', favorecido: 'Quuxley', razao_social: 'Zardoz Ltda', razão_social: 'Zardoz SA' },
    ...{ nombre: 'Xerxes', apellido: 'Quinteiro', sobrenome: 'Xanthe', firstname: 'Yolanda', nomeCompleto: 'Zenobia' },
    ...{ telefone: '11976543218', celular: 11976543218, whatsapp: '1132765432', thing: '11976543218' },
    ...{ birth_date: '1985-03-12', data_nascimento: '12/03/1985', fecha_nacimiento: '1985-03-12', dob: '1985-03-12' },
    ...{ cep: '01310-100', postal_code: '01310-100', codigo_postal: '06600', zipcode: '94107' },
    ...{ endereco: 'Rua Zardoz 17', direccion: 'Calle Zardoz 17', numero_cartao: '123-99', cuenta: '998-77' },
  }
  const { body } = await recordedBody(values)
  const same = Object.entries(values).filter(([name, value]) => body[name] === value)
  expect(same).toEqual([])
  expect(Number.isInteger(Date.parse(body.birth_date))).toBe(true)
  expect(body.data_nascimento).toMatch(/^[0-3]\d\/[01]\d\/\d{4}$/)
})

test.each([
  ...['passphrase', 'pass', 'senha', 'segredo', 'contraseña', 'contrasena', 'secretkey', 'privatekey', 'hmac', 'jwt'],
  ...['bearer', 'assertion', 'cvc', 'security_code', 'access_code', 'otp', 'totp', 'csrf', 'nonce', 'sid', 'PHPSESSID'],
  ...['JSESSIONID', 'seed', 'mnemonic', 'pem', 'magic_link', 'codigo_seguranca', 'chave_privada', 'accessKey', 'firma'],
  ...['palavra_passe', 'palabraClave', 'frase_semilla', 'recovery_phrase', 'llave_privada', 'codigo_de_verificacao'],
  ...['credenciais', 'authentication', 'mfa_code', 'two_factor_code', 'connectionString', 'dsn'],
])('the value of a field %s is a secret', async (name) => {
  const { body } = await recordedBody({ [name]: 'wxyz', [`my_${name}`]: '739' })
  expect(Object.values(body)).toEqual(['***', '***'])
})

test('the beginning and the end of a secret are hidden, as masked secrets show them', async () => {
  const secret = 'kq7d2m9x4p8v3t6b1z5w'
  const { body } = await recordedBody({ api_key: secret, hint: 'kq7d2m9x4p8v****', other: '…4p8v3t6b1z5w' })
  expect([body.api_key, body.hint, body.other]).toEqual(['***', '*******', '…***'])
})

test('addresses, documents and places without a check digit are personal', async () => {
  const values = { ip: '201.17.44.9', ssn: '078-05-1120', drivers_license: 'D1234567', placa: 'BRA2E19' }
  const more = { nickname: 'Quintanilhazinho', cidade: 'Pindamonhangaba', municipio: 'Itaquaquecetuba' }
  const { body } = await recordedBody({ ...values, ...more })
  expect(Object.entries({ ...values, ...more }).filter(([name, value]) => body[name] === value)).toEqual([])
})

test('a random value without a known name is masked and counted, and an id is not', async () => {
  const random = 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY'
  const { body, masked } = await recordedBody({
    ...{ thing: random, text: `use ${random} now`, link: `https://a.example/x/${random}?z=1` },
    ...{
      transaction_id: 'tx_0000001w3kaym35atckk',
      request_id: 'rq_0000002v4jbzn46buemm',
      again: 'tx_0000001w3kaym35atckk',
      created: '2026-11-22T19:06:08.704Z',
    },
    ...{
      camel: 'createdAtTransactionListOfAccounts',
      agent: 'shop-client/1.2.3 (node 20.19)',
      uuid_id: crypto.randomUUID(),
    },
  })
  expect([body.thing, body.text, body.link]).toEqual(['***', 'use *** now', 'https://a.example/x/***?z=1'])
  expect(body.again).toBe(body.transaction_id)
  expect([body.camel, body.created]).toEqual(['createdAtTransactionListOfAccounts', '2026-11-22T19:06:08.704Z'])
  // Three in the request, three in the response, which repeats it.
  expect(masked).toBe(6)
})
