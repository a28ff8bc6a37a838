package io.berth.operator.load;

import java.util.List;
import java.util.function.Consumer;

/** A source of measured node usage. */
interface UsageSource {

  /** The result of a read. */
  sealed interface Reading {
    /** The measurements, one per node. */
    record Read(List<Measurement> measurements) implements Reading {
      public Read {
        measurements = List.copyOf(measurements);
      }
    }

    /**
     * The read failed.
     *
     * @param reason what the source responded, and what to do about it
     */
    record Failed(String reason) implements Reading {}
  }

  /** Reads all measurements. The callback is called once, on any thread. */
  void read(Consumer<Reading> then);
}
