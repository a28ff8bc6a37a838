package io.berth.engine.volume;

/**
 * The part of the storage that a node reaches, which a pod's unbound claims of one class would
 * take.
 *
 * @param requested the sum of their requests, in bytes
 * @param capacity the storage, in bytes: the sum of the volumes that were chosen for the claims, or
 *     the free capacity from which new ones are provisioned
 */
public record StorageUse(String storageClass, long requested, long capacity) {
  /** Returns the share of the storage that is used, in percent: 0 to 100, rounded down. */
  public int percent() {
    if (capacity <= 0 || requested >= capacity) {
      return 100;
    }
    // The quotient of the second form differs from that of the first by less than its rounding.
    return (int)
        (requested <= Long.MAX_VALUE / 100
            ? requested * 100 / capacity
            : requested / (capacity / 100));
  }
}
