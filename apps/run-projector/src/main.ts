import { runService } from '@inquest/service-shell/run-service';
import { readProjectorConfig } from './config';
import { RunProjectorModule } from './run-projector.module';

void runService({
  name: 'run-projector',
  module: RunProjectorModule,
  config: readProjectorConfig(),
  // It follows the log; a cancelled run is projected like any other.
  interruptible: false,
});
