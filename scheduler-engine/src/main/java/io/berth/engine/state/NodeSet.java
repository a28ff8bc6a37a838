package io.berth.engine.state;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** A set of node slots: one bit each, 64 to a word. */
public final class NodeSet {
  private long[] words;

  public NodeSet() {
    this(0);
  }

  /** Creates an empty set with room for this many slots. */
  public NodeSet(int slots) {
    this.words = new long[wordsFor(slots)];
  }

  /** Returns a copy of the set. */
  public static NodeSet copyOf(NodeSet other) {
    NodeSet copy = new NodeSet();
    copy.words = other.words.clone();
    return copy;
  }

  /** Replaces the content with that of the other set, which must not exceed this one's room. */
  public void copy(NodeSet other) {
    int common = Math.min(words.length, other.words.length);
    System.arraycopy(other.words, 0, words, 0, common);
    Arrays.fill(words, common, words.length, 0);
  }

  /** Returns the number of words for this many slots. */
  public static int wordsFor(int slots) {
    return (slots + 63) >>> 6;
  }

  /** Returns the backing words: slot s is bit {@code s & 63} of word {@code s >> 6}. */
  public long[] words() {
    return words;
  }

  /** Ensures room for this many slots; new ones are not in the set. */
  public void grow(int slots) {
    if (wordsFor(slots) > words.length) {
      words = Arrays.copyOf(words, wordsFor(slots));
    }
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 40L + 8L * words.length;
  }

  public boolean contains(int slot) {
    int word = slot >>> 6;
    return word < words.length && (words[word] & (1L << slot)) != 0;
  }

  public void add(int slot) {
    words[slot >>> 6] |= 1L << slot;
  }

  public void remove(int slot) {
    words[slot >>> 6] &= ~(1L << slot);
  }

  /** Adds or removes the slot; returns whether this changed the set. */
  public boolean put(int slot, boolean in) {
    if (contains(slot) == in) {
      return false;
    }
    if (in) {
      add(slot);
    } else {
      remove(slot);
    }
    return true;
  }

  /** Adds the slots of the other set, which must not exceed this one's room. */
  public void addAll(NodeSet other) {
    for (int word = 0; word < Math.min(words.length, other.words.length); word++) {
      words[word] |= other.words[word];
    }
  }

  /**
   * Adds the slots of the other set that are not in a third one; the other set must not exceed this
   * one's room.
   */
  public void addAll(NodeSet other, NodeSet except) {
    for (int word = 0; word < Math.min(words.length, other.words.length); word++) {
      long excepted = word < except.words.length ? except.words[word] : 0;
      words[word] |= other.words[word] & ~excepted;
    }
  }

  /** Removes the slots that are in the other set. */
  public void removeAll(NodeSet other) {
    for (int word = 0; word < Math.min(words.length, other.words.length); word++) {
      words[word] &= ~other.words[word];
    }
  }

  /** Removes the slots that are not in the other set. */
  public void retainAll(NodeSet other) {
    for (int word = 0; word < words.length; word++) {
      words[word] &= word < other.words.length ? other.words[word] : 0;
    }
  }

  /**
   * Replaces the set by the slots that are in exactly one of the two sets; the other set must not
   * exceed this one's room.
   */
  public void differAll(NodeSet other) {
    for (int word = 0; word < Math.min(words.length, other.words.length); word++) {
      words[word] ^= other.words[word];
    }
  }

  /**
   * Returns the first of this set's words, from the given one on, that differs in the other set; -1
   * if there is none.
   */
  public int nextDifference(NodeSet other, int from) {
    int common = Math.min(words.length, other.words.length);
    if (from < common) {
      int distance = Arrays.mismatch(words, from, common, other.words, from, common);
      if (distance >= 0) {
        return from + distance;
      }
    }
    for (int word = Math.max(from, common); word < words.length; word++) {
      if (words[word] != 0) {
        return word;
      }
    }
    return -1;
  }

  public void clear() {
    Arrays.fill(words, 0);
  }

  /** Returns the number of slots in the set. */
  public int size() {
    int size = 0;
    for (long word : words) {
      size += Long.bitCount(word);
    }
    return size;
  }

  /** Returns the number of nodes that are in both sets. */
  public int common(NodeSet other) {
    int common = 0;
    for (int word = 0; word < Math.min(words.length, other.words.length); word++) {
      common += Long.bitCount(words[word] & other.words[word]);
    }
    return common;
  }

  public boolean isEmpty() {
    for (long word : words) {
      if (word != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the smallest slot in the set that is at least {@code from}; -1 if there is none. */
  public int next(int from) {
    int word = from >>> 6;
    if (word >= words.length) {
      return -1;
    }
    long bits = words[word] & (-1L << from);
    while (bits == 0) {
      if (++word == words.length) {
        return -1;
      }
      bits = words[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }

  /** Visits the slots in ascending order. */
  public void forEach(IntConsumer visitor) {
    for (int word = 0; word < words.length; word++) {
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        visitor.accept((word << 6) + Long.numberOfTrailingZeros(bits));
      }
    }
  }
}
