package io.berth.benchmarks.svg;

import java.util.Locale;

/**
 * An SVG document, written element by element. Coordinates and sizes are in pixels, and have one
 * decimal if they are not whole by their type.
 */
public final class SvgDocument {
  private final StringBuilder out = new StringBuilder();

  private SvgDocument() {}

  /** An element whose attributes are being written. One of its last three methods ends it, once. */
  public final class Element {
    private final String name;

    private Element(String name) {
      this.name = name;
      out.append('<').append(name);
    }

    /** Adds an attribute, whose value is escaped. */
    public Element with(String attribute, String value) {
      out.append(' ').append(attribute).append("=\"");
      out.append(escaped(value).replace("\"", "&quot;")).append('"');
      return this;
    }

    /** Adds an attribute with a whole number. */
    public Element with(String attribute, int value) {
      return with(attribute, Integer.toString(value));
    }

    /** Adds an attribute with a coordinate or a size. */
    public Element with(String attribute, double value) {
      return with(attribute, number(value));
    }

    /** Ends an element without content. */
    public void end() {
      out.append("/>\n");
    }

    /** Ends an element with text, which is escaped. */
    public void end(String text) {
      out.append('>').append(escaped(text)).append("</").append(name).append(">\n");
    }

    /** Ends the start tag of the root element, and returns the document for its content. */
    public SvgDocument begin() {
      out.append(">\n");
      return SvgDocument.this;
    }
  }

  /** Returns the root element of a new document of this size. */
  public static Element ofSize(int width, int height) {
    return new SvgDocument()
        .element("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", "0 0 %d %d".formatted(width, height));
  }

  /** Begins an element of the document. */
  public Element element(String name) {
    return new Element(name);
  }

  /** Returns a coordinate as it is written. */
  public static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Returns the complete document. */
  public String done() {
    return out + "</svg>\n";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
