import { runService } from '@inquest/service-shell/run-service';
import { chatGateway } from './chat-gateway';
import { gatewayConfig } from './config';

void runService(chatGateway(gatewayConfig()));
