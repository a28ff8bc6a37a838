package io.berth.engine.topology;

import io.berth.engine.selector.SparseCounts;
import io.berth.engine.state.NarrowColumn;
import java.util.function.IntConsumer;

/**
 * A number for each domain of a topology key, most of which may be 0. If the key has many domains,
 * such as the host name, only the numbers other than 0 are kept: pods of one kind are on few of
 * 50,000 nodes. When these would take more memory than a column, they become one.
 */
final class DomainCounts {
  /** The number of domains up to which a column is used. */
  private static final int FEW_DOMAINS = 1 << 10;

  /** The numbers by domain; empty while the sparse ones are used. */
  private final NarrowColumn column = new NarrowColumn();

  private SparseCounts sparse = new SparseCounts();
  private int bound;

  /** Sets the numbers of all domains to 0, and adjusts to the number of domains. */
  void reset(int domains) {
    bound = domains + domains / 8 + 1;
    sparse = new SparseCounts();
    if (domains > FEW_DOMAINS) {
      column.clear();
    } else if (column.length() < bound) {
      column.clear();
      column.grow(bound);
    } else {
      column.fill(0, column.length(), 0);
    }
  }

  /** Returns the number of a domain. */
  int get(int domain) {
    return column.length() > 0 ? column.get(domain) : sparse.get(domain);
  }

  /** Adds to the number of a domain; returns the number before. */
  int add(int domain, int delta) {
    if (column.length() > 0) {
      int before = column.get(domain);
      column.set(domain, before + delta);
      return before;
    }
    int before = sparse.add(domain, delta);
    if (sparse.bytes() > bound) {
      column.grow(bound);
      sparse.forEach(column::set);
      sparse = new SparseCounts();
    }
    return before;
  }

  /** Visits each domain whose number is not 0. */
  void forEach(IntConsumer visitor) {
    for (int domain = 0; domain < column.length(); domain++) {
      if (column.get(domain) != 0) {
        visitor.accept(domain);
      }
    }
    sparse.forEach((domain, number) -> visitor.accept(domain));
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 80L + column.bytes() + sparse.bytes();
  }
}
