// The suite's own origin: node origin.mjs PORT. On loopback only, where it would
// listen everywhere.
import { Server } from 'node:http'

const listen = Server.prototype.listen
Server.prototype.listen = function (port) { return listen.call(this, port, '127.0.0.1') }

Object.assign(process.env, {
  npm_config_protocol: 'http',
  npm_config_port: process.argv[2],
  npm_config_pidfile: 'pid' // in the folder that it runs in
})
await import('http-cache-tests/server/server.mjs')
