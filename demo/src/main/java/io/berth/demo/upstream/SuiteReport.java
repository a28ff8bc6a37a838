package io.berth.demo.upstream;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The results of a run of {@code e2e.test}, from its JUnit report. Specs that were not in focus or
 * were skipped are not included.
 *
 * @param specs the specs in the order of the report
 */
public record SuiteReport(List<Spec> specs) {
  private static final String SPEC = "[It] ";

  /**
   * A spec that was run.
   *
   * @param name the name as printed by Ginkgo, with its labels
   * @param passed whether it passed
   * @param failure the first line of its failure message; empty if it passed
   */
  public record Spec(String name, boolean passed, String failure) {}

  public SuiteReport {
    specs = List.copyOf(specs);
  }

  /**
   * Reads a JUnit report written by Ginkgo.
   *
   * @throws IOException if the file cannot be read or is not a JUnit report
   */
  public static SuiteReport read(Path file) throws IOException {
    List<Spec> specs = new ArrayList<>();
    NodeList cases = parse(file).getElementsByTagName("testcase");
    for (int i = 0; i < cases.getLength(); i++) {
      if (cases.item(i) instanceof Element testCase) {
        String name = testCase.getAttribute("name");
        String status = testCase.getAttribute("status");
        if (name.startsWith(SPEC) && !status.equals("skipped") && !status.equals("pending")) {
          specs.add(
              new Spec(name.substring(SPEC.length()), status.equals("passed"), failure(testCase)));
        }
      }
    }
    return new SuiteReport(specs);
  }

  private static Element parse(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (SAXException | ParserConfigurationException e) {
      throw new IOException(file + " is not a JUnit report: " + e.getMessage(), e);
    }
  }

  private static String failure(Element testCase) {
    for (String kind : List.of("failure", "error")) {
      if (testCase.getElementsByTagName(kind).item(0) instanceof Element failure) {
        return failure.getAttribute("message").lines().findFirst().orElse("");
      }
    }
    return "";
  }

  /** Returns the number of specs that passed. */
  public long passed() {
    return specs.stream().filter(Spec::passed).count();
  }

  /** Returns whether at least one spec ran and all specs that ran passed. */
  public boolean good() {
    return !specs.isEmpty() && passed() == specs.size();
  }

  /**
   * Returns one line per spec, with failed specs and their failures last, followed by {@code
   * upstream: PASSED/TOTAL}.
   */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (boolean passed : new boolean[] {true, false}) {
      for (Spec spec : specs) {
        if (spec.passed() == passed) {
          text.append(passed ? "  passed  " : "  FAILED  ").append(spec.name()).append('\n');
          if (!spec.failure().isEmpty()) {
            text.append("          ").append(spec.failure()).append('\n');
          }
        }
      }
    }
    return text + "upstream: " + passed() + "/" + specs.size() + "\n";
  }
}
