package io.berth.demo.picture;

import java.util.Locale;

/** A writer of an SVG document with rectangles and text. Coordinates and sizes are in pixels. */
final class Svg {
  private static final int HALF_BOLD = 600;

  private final StringBuilder out = new StringBuilder();

  Svg(int width, int height, String title) {
    out.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
        <title>%s</title>
        <style>text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }</style>
        """
            .formatted(width, height, width, height, escaped(title)));
    box(0, 0, width, height, "#ffffff", "#d0d7de");
  }

  /** Draws a rectangle with rounded corners. */
  void box(double x, double y, double width, double height, String fill, String stroke) {
    out.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"%s\""
                + " stroke=\"%s\"/>%n",
            x + 0.5,
            y + 0.5,
            Math.max(width - 1, 0),
            Math.max(height - 1, 0),
            fill,
            stroke));
  }

  /** Writes a line of text whose baseline starts at the given point. */
  void text(double x, double y, int size, String fill, String text) {
    text(x, y, size, 400, fill, text);
  }

  /** Writes a line of text in semi-bold. */
  void heading(double x, double y, int size, String fill, String text) {
    text(x, y, size, HALF_BOLD, fill, text);
  }

  private void text(double x, double y, int size, int weight, String fill, String text) {
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" font-weight=\"%d\""
                + " fill=\"%s\">%s</text>%n",
            x,
            y,
            size,
            weight,
            fill,
            escaped(text)));
  }

  /** Returns the complete document. */
  String done() {
    return out + "</svg>\n";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
