package io.berth.benchmarks.quality;

import java.util.List;
import java.util.Locale;

/** An SVG drawing with the frame of a plot and the shapes from which plots are built. */
final class Drawing {
  static final int WIDTH = 720;
  static final int HEIGHT = 360;
  static final int LEFT = 60;
  static final int RIGHT = 20;
  static final int TOP = 50;
  static final int BOTTOM = 50;
  private static final List<String> COLORS = List.of("#c0392b", "#2471a3", "#1e8449", "#7d3c98");

  private final StringBuilder svg = new StringBuilder();

  /** Creates a drawing with a title and the names of its axes. */
  Drawing(String title, String xAxis, String yAxis) {
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        """
            .formatted(WIDTH, HEIGHT));
    text(WIDTH / 2.0, 20, "middle", title);
    text(WIDTH / 2.0, HEIGHT - 10, "middle", xAxis);
    text(LEFT, TOP - 8, "middle", yAxis);
  }

  /** Returns the color of a series by its number, from 0. */
  static String color(int series) {
    return COLORS.get(series % COLORS.size());
  }

  /** Adds a grid line. */
  void line(double x1, double y1, double x2, double y2) {
    append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
            x1,
            y1,
            x2,
            y2));
  }

  void rectangle(double x, double y, double width, double height, String color) {
    append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
            x,
            y,
            width,
            height,
            color));
  }

  /** Adds a legend entry: the name of a series next to its color. */
  void key(int series, double x, double y, String name) {
    rectangle(x, y - 6, 14, 4, color(series));
    text(x + 20, y, "start", name);
  }

  void text(double x, double y, String anchor, String text) {
    append(
        String.format(
            Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor));
    svg.append(text.replace("&", "&amp;").replace("<", "&lt;")).append("</text>\n");
  }

  /** Adds SVG text without escaping. */
  void append(String text) {
    svg.append(text);
  }

  /** Returns the complete SVG document. */
  String svg() {
    return svg + "</svg>\n";
  }
}
