package io.berth.engine.devices;

/** A taint of a device. */
public record DeviceTaint(String key, String value, String effect) {
  /** Returns whether the taint keeps claims away that do not tolerate it. */
  boolean preventsAllocation() {
    return effect.equals("NoSchedule") || effect.equals("NoExecute");
  }
}
