package io.berth.engine.devices;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelErrorCode;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelEvaluationListener;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.CelStandardFunctions.StandardFunction;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The compiler of CEL expressions that select devices, with the variable, the options, and the
 * libraries that the API server gives them.
 */
final class SelectorCompiler {
  /** The result of a selector for a device, or of its compilation. */
  sealed interface Result {}

  /** A truth value. */
  record Truth(boolean value) implements Result {}

  /** An error. */
  record Failed(String message) implements Result {}

  /** A compiled selector. */
  interface Selector {
    /** Evaluates the selector for a device of a driver. */
    Evaluated evaluate(String driver, Device device);
  }

  /**
   * The result of a selector for a device.
   *
   * @param cost the number of parts of the expression that were evaluated, with repetitions
   */
  record Evaluated(Result result, int cost) {}

  /**
   * The limit of the cost of one evaluation. The API server estimates the cost of an expression,
   * and accepts none that could exceed it.
   */
  private static final int COST_LIMIT = 1_000_000;

  /** The cause of the exception of an evaluation that costs too much. */
  private static final class TooCostlyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooCostlyException() {
      super(TOO_COSTLY, null, false, false);
    }
  }

  /** Counts the parts of an expression that are evaluated. */
  private static final class CostCounter implements CelEvaluationListener {
    private int cost;

    @Override
    public void callback(CelExpr expression, Object result) {
      if (++cost > COST_LIMIT) {
        throw new TooCostlyException();
      }
    }
  }

  private static final String TOO_COSTLY = "operation cancelled: actual cost limit exceeded";
  private static final String DEVICE = "device";
  private static final CelOptions OPTIONS =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .enableOptionalSyntax(true)
          .enableRegexPartialMatch(true)
          .comprehensionMaxIterations(COST_LIMIT)
          .build();
  private static final RuntimeEquality EQUALITY =
      RuntimeEquality.create(RuntimeHelpers.create(), OPTIONS);
  private static final ImmutableMap<String, CelType> FIELDS =
      ImmutableMap.of(
          "driver",
          SimpleType.STRING,
          "allowMultipleAllocations",
          SimpleType.BOOL,
          "attributes",
          MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, SimpleType.DYN)),
          "capacity",
          MapType.create(
              SimpleType.STRING,
              MapType.create(SimpleType.STRING, OpaqueType.create("kubernetes.Quantity"))));
  private static final StructType DEVICE_TYPE =
      StructType.create(
          "kubernetes.DRADevice", FIELDS.keySet(), field -> Optional.ofNullable(FIELDS.get(field)));

  private final CelCompiler compiler =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setOptions(OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addLibraries(
              CelExtensions.strings(),
              CelExtensions.optional(),
              CelExtensions.bindings(),
              CelExtensions.comprehensions(),
              CelExtensions.lists(),
              CelExtensions.sets(OPTIONS))
          .addFunctionDeclarations(SelectorFunctions.declarations())
          .addFunctionDeclarations(SelectorLists.declarations())
          .setTypeProvider(new DeviceTypes())
          .addVar(DEVICE, DEVICE_TYPE)
          .build();

  private final CelRuntime runtime =
      CelRuntimeFactory.standardCelRuntimeBuilder()
          .setOptions(OPTIONS)
          .setStandardEnvironmentEnabled(false)
          .setStandardFunctions(
              CelStandardFunctions.newBuilder().excludeFunctions(StandardFunction.IN).build())
          .addLibraries(
              CelExtensions.strings(),
              CelExtensions.optional(),
              CelExtensions.comprehensions(),
              CelExtensions.lists(),
              CelExtensions.sets(OPTIONS))
          .addFunctionBindings(SelectorFunctions.bindings())
          .addFunctionBindings(SelectorLists.bindings(EQUALITY))
          .addFunctionBindings(membership())
          .build();

  private record DeviceTypes() implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return ImmutableList.of(DEVICE_TYPE);
    }

    @Override
    public Optional<CelType> findType(String typeName) {
      return typeName.equals(DEVICE_TYPE.name()) ? Optional.of(DEVICE_TYPE) : Optional.empty();
    }
  }

  /** The operator {@code in}, for which a domain that the device does not have is absent. */
  private static List<CelFunctionBinding> membership() {
    return List.of(
        CelFunctionBinding.from(
            "in_list",
            Object.class,
            List.class,
            (item, list) ->
                ((List<?>) list).stream().anyMatch(of -> EQUALITY.objectEquals(of, item))),
        CelFunctionBinding.from(
            "in_map",
            Object.class,
            Map.class,
            (key, map) ->
                map instanceof SelectorInput.ByDomain domains
                    ? domains.has(key)
                    : EQUALITY.findInMap(map, key).isPresent()));
  }

  /** Compiles an expression. */
  Selector compile(String expression) {
    try {
      CelAbstractSyntaxTree tree = compiler.compile(expression).getAst();
      CelType type = tree.getResultType();
      if (!type.equals(SimpleType.BOOL) && !type.equals(SimpleType.DYN)) {
        return failing(
            "CEL compile error: must evaluate to bool or the unknown type, not " + type.name());
      }
      CelRuntime.Program program = runtime.createProgram(tree);
      return (driver, device) -> {
        CostCounter counter = new CostCounter();
        Result result = evaluate(program, driver, device, counter);
        return new Evaluated(result, counter.cost);
      };
    } catch (CelValidationException | CelEvaluationException e) {
      return failing("CEL compile error: compilation failed: " + e.getMessage());
    }
  }

  private static Selector failing(String message) {
    Evaluated failed = new Evaluated(new Failed(message), 0);
    return (driver, device) -> failed;
  }

  private static Result evaluate(
      CelRuntime.Program program, String driver, Device device, CostCounter counter) {
    try {
      Object result = program.trace(Map.of(DEVICE, SelectorInput.of(driver, device)), counter);
      return result instanceof Boolean truth
          ? new Truth(truth)
          : runtimeError("CEL result could not be converted to bool: " + result);
    } catch (SelectorInput.AttributeException e) {
      return runtimeError(String.valueOf(e.getMessage()));
    } catch (CelEvaluationException e) {
      return runtimeError(words(e));
    }
  }

  private static Failed runtimeError(String message) {
    return new Failed("CEL runtime error: " + message);
  }

  /** Returns the message in the words of the library that the API server uses, where possible. */
  private static String words(CelEvaluationException e) {
    CelErrorCode code = e.getErrorCode();
    Throwable cause = e.getCause();
    return switch (code) {
      case OVERLOAD_NOT_FOUND -> "no such overload";
      case DIVIDE_BY_ZERO -> "division by zero";
      case NUMERIC_OVERFLOW -> "integer overflow";
      case ITERATION_BUDGET_EXCEEDED -> TOO_COSTLY;
      case ATTRIBUTE_NOT_FOUND -> "no such key: " + missingKey(String.valueOf(e.getMessage()));
      default ->
          cause == null || cause.getMessage() == null
              ? String.valueOf(e.getMessage())
              : cause.getMessage();
    };
  }

  private static String missingKey(String message) {
    int from = message.indexOf('\'');
    int to = message.indexOf('\'', from + 1);
    if (from >= 0 && to > from) {
      return message.substring(from + 1, to);
    }
    return message.substring(message.lastIndexOf(' ') + 1);
  }
}
