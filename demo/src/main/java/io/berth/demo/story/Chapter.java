package io.berth.demo.story;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of the story, with expected and observed results.
 *
 * @param title the title
 * @param claims the checks, in order
 * @param lines additional lines for the reader
 */
public record Chapter(String title, List<Claim> claims, List<String> lines) {

  /**
   * A checked statement.
   *
   * @param held whether the statement was true
   * @param sentence the statement
   * @param seen the observed result
   */
  public record Claim(boolean held, String sentence, String seen) {}

  public Chapter {
    claims = List.copyOf(claims);
    lines = List.copyOf(lines);
  }

  /** Returns whether all statements were true. */
  public boolean held() {
    return claims.stream().allMatch(Claim::held);
  }

  /** Returns the chapter as lines for a terminal. */
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

  /** A builder of a chapter. */
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
