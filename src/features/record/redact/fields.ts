/** Classifies the fields of the platform API by what they reveal about a person. */
import * as z from 'zod'
import {
  type Endpoint,
  endpointNames,
  endpoints,
  eventNames,
  eventTable,
  unwrapType,
} from '../../../inside/platform.js'

/**
 * `personal`: replaced by a pseudonym · `plain`: stays (an id, a moment, an amount, a word of the API) · `text`:
 * searched for sensitive values · `secret`: hidden.
 */
export type FieldClass = 'personal' | 'plain' | 'text' | 'secret'

const rowsOf = (of: FieldClass, names: string) => names.split(' ').map((name) => [name, of] as const)

/** Fields whose type does not show their class. A name after a dot applies within the field before it. */
const rows: ReadonlyMap<string, FieldClass> = new Map([
  ...rowsOf(
    'personal',
    'name document email key wallet address clabe qrcode beneficiary_name taxId description message',
  ),
  ...rowsOf('personal', 'username from_user to_user counterparty postback_url webhook_url'),
  ...rowsOf('plain', 'id transaction_id original_transaction_id external_id conversion_id original_conversion_id'),
  ...rowsOf(
    'plain',
    'infraction_id request_id e2e_id tracking_key hash sha256 reference type bank bank_code bank_name',
  ),
  ...rowsOf('plain', 'from_date to_date source key_type keyType chain network event code group'),
  // Decimal texts in events.
  ...rowsOf('plain', 'amount_net old_balance new_balance amount_reverted_from amount_returned_to'),
  // In a query, `code` is that of OAuth.
  ...rowsOf('secret', 'access_token ?.code'),
  ...rowsOf('text', 'reason error_message error.message'),
])

const wordSet = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')))

/** Words in undocumented field names that suggest personal data, in English, Portuguese and Spanish. */
const personalWords = wordSet(
  'name nome nombre surname sobrenome apellido apelido firstname lastname fullname nomecompleto titular razao razon social fantasia',
  'document documento doc cpf cnpj rfc curp rg ine dni tax taxid nif nationalid cpfcnpj passport passaporte pasaporte card cartao tarjeta pan',
  'email correo mail phone telephone telefone telefono tel fone celular cel mobile movil msisdn whatsapp contato contacto',
  'key chave clave pix clabe iban address endereco direccion domicilio logradouro street rua calle bairro colonia',
  'zip zipcode cep postal postcode birth birthday dob nascimento nacimiento mother father mae pai madre padre',
  'account conta cuenta agency agencia branch owner holder portador beneficiary beneficiario favorecido',
  'payer pagador payee recebedor receiver recipient receptor sender remetente remitente ordenante destinatario customer',
  'cliente client person pessoa persona contact party debtor devedor deudor creditor credor acreedor user usuario',
  'ssn license licencia licenca placa nickname city cidade ciudad municipio latitude longitude ip',
  'username wallet carteira billetera socio responsavel responsable description descricao descripcion message mensagem mensaje',
)
/** These show personal data in front of `id`, `code` or `date` too: `tax_id`, `postal_code`, `birth_date`. */
const ownIdWords = wordSet(
  'tax national nacional cpf cnpj rfc curp rg dni document documento passport zip postal postcode cep birth nascimento nacimiento',
)
const secretWords = wordSet(
  'secret segredo secreto password passwd pwd pass passphrase passcode senha contrasena contrasenha token jwt bearer',
  'assertion signature assinatura firma signing hmac authorization auth credential credencial pin otp totp cvv cvc csrf',
  'xsrf nonce cookie session sessao sesion sid sessid sessionid seed mnemonic pem private apikey accesskey accesscode',
  'securitycode magiclink authentication autenticacao autenticacion credenciais credenciales mfa 2fa dsn',
)
/** `magic_link` and the like: the first word makes the second one a secret. */
const secretPairs =
  /\b(?:(?:security|access|verification|auth|recovery|backup|factor) code|(?:recovery phrase|connection string)|(?:palavra|palabra) (?:passe|clave|chave)|frase (?:semilla|semente|de recupera\w+)|(?:magic|reset|login|invite) link|(?:access|secret|encryption|master|api|hmac|shared|server|service) key|(?:codigo|clave|chave|llave) (?:de )?(?:seguranca|seguridad|acesso|acceso|secreta|privada|verificacao|verificacion))\b/
/** A field whose name ends like this contains an id, a word or a moment. */
const plainEnds = wordSet('id ids type code at in date status currency amount network chain count')

const wordsOf = (name: string) =>
  name
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

/** Words that are recognized at either end of a longer one: `secretkey`, `phonenumber`, `PHPSESSID`. */
const shortestJoined = 5

function hasWord(words: readonly string[], some: ReadonlySet<string>): boolean {
  const isOne = (word: string) => some.has(word) || some.has(word.replace(/s$/, ''))
  const isJoined = (word: string) => {
    for (let length = shortestJoined; length < word.length; length++)
      if (some.has(word.slice(0, length)) || some.has(word.slice(-length))) return true
    return false
  }
  return words.some((word) => isOne(word) || isJoined(word))
}

function classByWords(name: string): FieldClass | null {
  const words = wordsOf(name)
  const end = words.at(-1) ?? ''
  if (hasWord(words, secretWords) || secretPairs.test(words.join(' ')))
    return /^(type|at|in)$/.test(end) ? 'plain' : 'secret'
  if (/^(ids?|code|date)$/.test(end) && hasWord(words.slice(0, -1), ownIdWords)) return 'personal'
  if (plainEnds.has(end)) return 'plain'
  return hasWord(words, personalWords) ? 'personal' : null
}

/** Field names whose type shows that they contain a number, a moment, a UUID or one of a few words. */
const typed = new Set<string>()
/** Field names of objects and lists. */
const containers = new Set<string>()
/** The words of the API. */
const words = new Set<string>()
/** Text fields of the platform API. */
const texts = new Set<string>()

function collect(type: z.ZodType, name: string): void {
  const bare = unwrapType(type)
  if (bare instanceof z.ZodObject)
    for (const [key, field] of Object.entries(bare.shape)) if (field instanceof z.ZodType) collect(field, key)
  if (bare instanceof z.ZodArray && bare.element instanceof z.ZodType) collect(bare.element, name)
  if (bare instanceof z.ZodUnion)
    for (const option of bare.options) if (option instanceof z.ZodType) collect(option, name)
  if (bare instanceof z.ZodEnum) for (const value of bare.options) words.add(String(value))
  if (bare instanceof z.ZodLiteral) for (const value of bare.values) words.add(String(value))
  setFor(bare).add(name)
}

function setFor(type: z.ZodType): Set<string> {
  if (type instanceof z.ZodString) return texts
  return [z.ZodObject, z.ZodArray, z.ZodUnion].some((container) => type instanceof container) ? containers : typed
}

for (const name of endpointNames) {
  const { request, response }: Endpoint = endpoints[name]
  collect(request(), '')
  collect(response(), '')
}
for (const name of eventNames) {
  words.add(name)
  collect(eventTable[name].data(), '')
}

/** Whether a value is a word of the API, such as a status or a currency. */
export const isOwnWord = (text: string): boolean => words.has(text)

/** Whether the API documents a field with that name. */
export const isDocumented = (name: string): boolean => [rows, typed, containers, texts].some((names) => names.has(name))

/** Text fields of the platform API without a class; a test requires that there are none. */
export const unclassified = (): string[] => [...texts].filter((name) => classOf(name) === null)

const classes = new Map<string, FieldClass | null>()
const mostClasses = 10_000

/** `parent` is the field that contains the field. Undocumented fields are searched (null), unless their name shows more. */
export function classOf(name: string, parent = ''): FieldClass | null {
  const place = `${parent}.${name}`
  const before = classes.get(place)
  if (before !== undefined) return before
  if (classes.size >= mostClasses) classes.clear()
  const bare = name.replace(/\[\]$/, '')
  const found = rows.get(`${parent}.${bare}`) ?? rows.get(bare) ?? (typed.has(name) ? 'plain' : classByWords(bare))
  classes.set(place, found)
  return found
}
