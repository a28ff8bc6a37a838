package io.berth.engine.devices;

/** The value of a device's attribute. */
public sealed interface DeviceAttribute {
  /** A text. */
  record Text(String value) implements DeviceAttribute {}

  /** An integer. */
  record Int(long value) implements DeviceAttribute {}

  /** A truth value. */
  record Bool(boolean value) implements DeviceAttribute {}

  /** A semantic version, as text. */
  record Version(String value) implements DeviceAttribute {}

  /** A value of a type that is not supported, such as a list. */
  record Unsupported() implements DeviceAttribute {}
}
