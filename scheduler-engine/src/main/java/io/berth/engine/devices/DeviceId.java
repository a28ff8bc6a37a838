package io.berth.engine.devices;

/** The identity of a device: its name is unique in its pool, and the pool's in its driver. */
public record DeviceId(String driver, String pool, String device) {
  @Override
  public String toString() {
    return driver + "/" + pool + "/" + device;
  }
}
