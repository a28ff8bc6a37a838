package io.berth.engine.devices;

import java.util.Arrays;

/** A device of a slice, with its use, and what is known of the selectors that it satisfies. */
final class KnownDevice {
  private static final byte[] NOTHING = {};

  private final DeviceSlice slice;
  private final Device device;
  private final DeviceId id;
  private final DeviceUse use;
  private byte[] answers = NOTHING;
  private int generation;

  KnownDevice(DeviceSlice slice, Device device, DeviceId id, DeviceUse use) {
    this.slice = slice;
    this.device = device;
    this.id = id;
    this.use = use;
  }

  DeviceSlice slice() {
    return slice;
  }

  Device device() {
    return device;
  }

  DeviceId id() {
    return id;
  }

  DeviceUse use() {
    return use;
  }

  /**
   * Returns the remembered answer to a numbered question; 0 if there is none.
   *
   * @param asOf the generation of the numbers
   */
  int answer(int number, int asOf) {
    return generation == asOf && number < answers.length ? answers[number] & 0xFF : 0;
  }

  /**
   * Remembers an answer.
   *
   * @param answer 1 to 255; 0 if it is to be computed again
   */
  void remember(int number, int asOf, int answer) {
    if (generation != asOf) {
      generation = asOf;
      answers = NOTHING;
    }
    if (number >= answers.length) {
      answers = Arrays.copyOf(answers, number + 1);
    }
    answers[number] = (byte) answer;
  }
}
