package io.berth.engine.state;

import io.berth.engine.devices.DeviceTable;
import io.berth.engine.time.Due;
import java.time.Instant;

/** The times until which the devices of claims have to be prepared. */
record DeviceDeadlines(DeviceTable devices) implements Timer {
  @Override
  public Due due() {
    return devices.nextDeadline().map(Due::at).orElse(Due.NEVER);
  }

  @Override
  public void run(Instant now) {
    devices.expire(now);
  }
}
