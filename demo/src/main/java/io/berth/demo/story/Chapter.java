package io.berth.demo.story;

import java.util.ArrayList;
import java.util.List;

/**
 * One part of the story: what was expected, and what was seen.
 *
 * @param title what the chapter is about
 * @param claims what was checked, in order
 * @param lines what a reader may want to see beside
 */
public record Chapter(String title, List<Claim> claims, List<String> lines) {

  /**
   * One checked sentence.
   *
   * @param held whether it was so
   * @param sentence what should be so
   * @param seen what was so
   */
  public record Claim(boolean held, String sentence, String seen) {}

  public Chapter {
    claims = List.copyOf(claims);
    lines = List.copyOf(lines);
  }

  /** Returns whether all of it was as described. */
  public boolean held() {
    return claims.stream().allMatch(Claim::held);
  }

  /** For a terminal. */
  public String text() {
    StringBuilder out = new StringBuilder("\n").append(title).append('\n');
    for (Claim claim : claims) {
      out.append(claim.held() ? "  ok    " : "  FAIL  ").append(claim.sentence());
      if (!claim.seen().isEmpty()) {
        out.append(": ").append(claim.seen());
      }
      out.append('\n');
    }
    lines.forEach(line -> out.append("        ").append(line).append('\n'));
    return out.toString();
  }

  /** Collects a chapter. */
  static final class Writer {
    private final String title;
    private final List<Claim> claims = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    Writer(String title) {
      this.title = title;
    }

    void claim(boolean held, String sentence, Object seen) {
      claims.add(new Claim(held, sentence, seen.toString()));
    }

    void line(String line) {
      lines.add(line);
    }

    Chapter done() {
      return new Chapter(title, claims, lines);
    }
  }
}
