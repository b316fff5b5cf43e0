/** The request that a form would send: its body, and a program that sends it. */
import { useState } from 'hono/jsx/dom'
import { keysOf } from '../../../base/keys.js'
import type { Credential } from '../../../client/types/control.js'
import { codeSamples } from '../../../protocol/platform/code-samples.js'
import { baseUrl } from '../../api.js'
import { keysOfCredential } from '../../curl.js'
import type { Endpoint } from '../../platform-api.js'
import { Code } from '../code.js'
import { Panel } from '../layout.js'
import { Button } from './controls.js'

interface PreviewProps {
  endpoint: Endpoint
  credential: Credential | undefined
  body: string
}

export const RequestPreview = ({ endpoint, credential, body }: PreviewProps) => {
  const [language, choose] = useState<keyof typeof codeSamples>('curl')
  const { label, write } = codeSamples[language]
  const tools = keysOf(codeSamples).map((name) => (
    <Button key={name} tone="quiet" pressed={name === language} onClick={() => choose(name)}>
      {codeSamples[name].label}
    </Button>
  ))
  return (
    <div class="preview">
      <Panel title="Request" tools={tools}>
        <Code text={body} label={`${endpoint.method} ${endpoint.path}`} noun="the body" />
        {credential === undefined ? null : (
          <Code
            text={write(baseUrl, keysOfCredential(credential), { ...endpoint, body })}
            label={`${label}${endpoint.signed ? ', signed with the signing_key' : ''}`}
            noun="the program"
          />
        )}
      </Panel>
    </div>
  )
}
