package io.berth.webhook.template;

import freemarker.core.ParseException;
import freemarker.core.SyntaxTree;
import freemarker.core.UndefinedOutputFormat;
import freemarker.template.Configuration;
import freemarker.template.Template;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Quoted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the template in one string of a spec.
 *
 * <p>FreeMarker is used only as a parser: {@link ExpressionReader} converts its tree to an {@link
 * Expression}, which {@link Evaluator} evaluates. FreeMarker's own evaluation, through which all
 * known sandbox escapes work, never runs. A test compares the results of both.
 */
final class LeafParser {

  /** The substrings that identify a template, including syntax that is not supported. */
  private static final String[] MARKS = {"${", "#{", "{{", "<#", "</#", "<@", "</@"};

  private static final Pattern GO =
      Pattern.compile("\\{\\{-?\\s*\\.([A-Za-z_][A-Za-z0-9_.]*+)\\s*-?\\}\\}");
  private static final Pattern UNKNOWN_BUILT_IN = Pattern.compile("Unknown built-in: \"(\\w+)\"");

  private static final Pattern ENCOUNTERED =
      Pattern.compile("Encountered \"?(.+?)\"?(?=$|[\\r\\n]|, but was)");

  private final Configuration configuration;

  LeafParser() {
    configuration = new Configuration(Configuration.VERSION_2_3_35);
    configuration.setTagSyntax(Configuration.ANGLE_BRACKET_TAG_SYNTAX);
    configuration.setInterpolationSyntax(Configuration.LEGACY_INTERPOLATION_SYNTAX);
    configuration.setNamingConvention(Configuration.LEGACY_NAMING_CONVENTION);
    configuration.setOutputFormat(UndefinedOutputFormat.INSTANCE);
    configuration.setWhitespaceStripping(false);
    configuration.setLocale(Locale.ROOT);
  }

  static boolean isTemplate(String source) {
    for (String mark : MARKS) {
      if (source.contains(mark)) {
        return true;
      }
    }
    return false;
  }

  /** Parses a string that is a template; throws {@link Refused} if it is invalid. */
  Expression parse(String source) {
    checkSize(source);
    String template = withoutGo(source);
    for (String mark : new String[] {"<#", "</#", "<@", "</@"}) {
      if (template.contains(mark)) {
        throw new Refused(
            ErrorCode.TEMPLATE_DIRECTIVE,
            mark
                + "...> is a directive, macro call, or comment, which are not supported: write"
                + " ${...}, and use $if for conditional parts");
      }
    }
    try {
      return ExpressionReader.leaf(SyntaxTree.of(new Template("leaf", template, configuration)));
    } catch (ParseException e) {
      throw syntax(e, template);
    } catch (IOException e) {
      throw new UncheckedIOException("a string could not be read", e);
    }
  }

  /** Rejects input that would make the parser recurse too deeply or its tree too large. */
  private static void checkSize(String source) {
    if (source.length() > RenderLimits.LEAF) {
      throw new Refused(
          ErrorCode.TEMPLATE_TOO_LARGE,
          "has " + source.length() + " characters; the limit is " + RenderLimits.LEAF);
    }
    int brackets = 0;
    int operators = 0;
    for (int i = 0; i < source.length(); i++) {
      char c = source.charAt(i);
      if (c == '(' || c == '[' || (c == '{' && (i == 0 || source.charAt(i - 1) != '$'))) {
        brackets++;
      } else if ("!?.+-*/%&|=<>$".indexOf(c) >= 0) {
        operators++;
      }
    }
    int goBraces = 2 * (source.split("\\{\\{", -1).length - 1);
    if (brackets - goBraces > RenderLimits.BRACKETS || operators > RenderLimits.OPERATORS) {
      throw new Refused(
          ErrorCode.TEMPLATE_TOO_LARGE,
          "more than "
              + RenderLimits.BRACKETS
              + " brackets or "
              + RenderLimits.OPERATORS
              + " operators; write a simpler expression");
    }
  }

  /** Replaces Go's {@code {{.Name}}} with {@code ${Name}}. */
  private static String withoutGo(String source) {
    if (!source.contains("{{")) {
      return source;
    }
    Matcher matcher = GO.matcher(source);
    String template =
        matcher.replaceAll(match -> Matcher.quoteReplacement("${" + match.group(1) + "}"));
    int rest = template.indexOf("{{");
    if (rest >= 0) {
      int end = template.indexOf("}}", rest);
      String shown = template.substring(rest, end < 0 ? template.length() : end + 2);
      throw new Refused(
          ErrorCode.TEMPLATE_SYNTAX,
          Quoted.value(shown)
              + " is not supported: of Go's template language, only {{.Name}} is; write everything"
              + " else as ${...}");
    }
    return template;
  }

  private static Refused syntax(ParseException e, String template) {
    String words = e.getEditorMessage();
    Matcher unknown = UNKNOWN_BUILT_IN.matcher(words);
    if (unknown.lookingAt()) {
      return ExpressionReader.unknownBuiltIn(unknown.group(1));
    }
    if (words.startsWith("Naming convention mismatch")) {
      return new Refused(
          ErrorCode.TEMPLATE_BUILT_IN,
          "built-ins are written with underscores, such as ?lower_case");
    }
    return new Refused(
        ErrorCode.TEMPLATE_SYNTAX,
        "syntax error at character "
            + Math.max(1, e.getColumnNumber())
            + ": "
            + reason(words)
            + (template.contains(">=")
                ? "; write gte instead of >=, or put the comparison in parentheses"
                : "; an interpolation is ${Name} or ${pod.labels[\"x\"]}"));
  }

  /**
   * Returns the parser's reason in plain words. The parser's own message refers to grammar rules
   * and gives advice that does not apply.
   */
  private static String reason(String words) {
    if (words.startsWith("Unexpected end of file")) {
      return "it ends before the expression is complete";
    }
    Matcher encountered = ENCOUNTERED.matcher(words);
    if (encountered.lookingAt()) {
      return Quoted.value(encountered.group(1)) + " is not allowed here";
    }
    return words.contains("escape")
        ? "a string contains an unknown escape sequence"
        : "this is not an expression";
  }
}
