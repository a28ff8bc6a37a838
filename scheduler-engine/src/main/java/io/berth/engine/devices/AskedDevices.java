package io.berth.engine.devices;

/** One request, or one alternative of it, during a search. */
final class AskedDevices {
  private static final int[] NONE = {};

  private final DeviceRequest request;
  private final DeviceAsk ask;
  private final DeviceClass deviceClass;
  private long count;
  private int[] all = NONE;

  AskedDevices(DeviceRequest request, DeviceAsk ask, DeviceClass deviceClass) {
    this.request = request;
    this.ask = ask;
    this.deviceClass = deviceClass;
    this.count = ask.count();
  }

  /** Sets the devices of a request for all of them. */
  void setAll(int[] devices) {
    all = devices;
    count = devices.length;
  }

  DeviceRequest request() {
    return request;
  }

  DeviceAsk ask() {
    return ask;
  }

  DeviceClass deviceClass() {
    return deviceClass;
  }

  /** Returns the number of devices. */
  long count() {
    return count;
  }

  /** Returns one of the devices of a request for all of them. */
  int all(int index) {
    return all[index];
  }

  String subrequest() {
    return request.prioritized() ? ask.name() : "";
  }

  /** Returns the name by which results refer to it. */
  String resultName() {
    return request.nameOf(ask);
  }
}
