"""A LangChain chat model as the judge and a LangChain template as the prompt."""

from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

from judgekit import create_llm_as_judge

prompt = ChatPromptTemplate.from_messages(
    [
        ("system", "You grade translations into English."),
        ("human", "Source: {inputs}\nTranslation: {outputs}\nIs the translation faithful?"),
    ]
)

judge = create_llm_as_judge(
    prompt=prompt,
    judge=ChatOpenAI(model="gpt-5.4-mini").with_retry(stop_after_attempt=2),
    feedback_key="faithful",
)
print(judge(inputs="白起、李牧、王翦、廉颇", outputs="Bai Qi, Li Mu, Wang Jian, Lian Po")["score"])
