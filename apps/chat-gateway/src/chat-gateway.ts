import type { ServiceDefinition } from '@inquest/service-shell/run-service';
import type { GatewayConfig } from './config';
import { SERVICE } from './gateway-facts';
import { GatewayModule } from './gateway.module';
import { configureHttp } from './http/http-side';
import { VERSION } from './version';

export const chatGateway = (config: GatewayConfig): ServiceDefinition<GatewayConfig> => ({
  name: SERVICE,
  module: GatewayModule,
  config,
  version: VERSION,
  http: { port: config.port, host: config.HOST, configure: configureHttp(config.tokens) },
  interruptible: false,
});
