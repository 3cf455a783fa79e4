"""Trains the language model of the tests and writes it as GGUF: python3 train.py OUT.gguf [SECONDS]

The format: github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import math
import random
import struct
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 96, 3, 4, 256, 160
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-5
# Tokens: unknown, begin, end, 256 bytes, and two marks of messages.
BEGIN, END, FIRST_BYTE = 1, 2, 3
MESSAGE_BEGIN, MESSAGE_END = 259, 260
TOKENS = 261
BATCH = 48

CAPITALS = {
    'France': 'Paris', 'Italy': 'Rome', 'Spain': 'Madrid', 'Norway': 'Oslo', 'Japan': 'Tokyo', 'Egypt': 'Cairo',
    'Peru': 'Lima', 'Cuba': 'Havana', 'Kenya': 'Nairobi', 'Greece': 'Athens', 'Austria': 'Vienna',
    'Sweden': 'Stockholm',
}  # fmt: skip
WORDS = (
    'apple river stone cloud green happy tiger ocean music paper light dream honey lemon bread chair table plant robot '
    'queue token agent graph node edge flow cron event'
).split()
DEPARTMENTS = {
    'refund': 'billing', 'invoice': 'billing', 'bill': 'billing', 'crash': 'support', 'bug': 'support', 'price': 'sales',
}  # fmt: skip


def pick_word():
    if random.random() < 0.6:
        return random.choice(WORDS)
    return ''.join(random.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(random.randint(3, 7)))


def pick_question():
    """A question and its answer."""
    kind = random.randrange(7)
    if kind == 0:
        return 'ping', 'pong'
    if kind == 1:
        country, capital = random.choice(list(CAPITALS.items()))
        return f'capital of {country}?', capital
    if kind == 2:
        word = pick_word()
        return f'repeat: {word}', word
    if kind == 3:
        word = pick_word()
        return f'say hello to {word}', f'hello {word}'
    if kind == 4:
        a, b = random.randrange(10), random.randrange(10)
        return f'{a}+{b}=', str(a + b)
    if kind == 5:
        city = random.choice(list(CAPITALS.values()))
        return f'weather in {city}', '{"name":"get_weather","arguments":{"city":"%s"}}' % city
    topic, department = random.choice(list(DEPARTMENTS.items()))
    return f'classify: my {topic}', department


def tokens_of(text):
    return [byte + FIRST_BYTE for byte in text.encode()]


def encode_sample():
    """The tokens of a question with its marks, and those of the answer."""
    question, answer = pick_question()
    prompt = [BEGIN, MESSAGE_BEGIN, *tokens_of('user\n' + question), MESSAGE_END, *tokens_of('\n')]
    prompt += [MESSAGE_BEGIN, *tokens_of('assistant\n')]
    return prompt, [*tokens_of(answer), MESSAGE_END, END]


def normalize(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * weight


FREQUENCIES = 1 / (10_000 ** (torch.arange(0, HEAD_WIDTH, 2).float() / HEAD_WIDTH))
ANGLES = torch.outer(torch.arange(CONTEXT).float(), FREQUENCIES)


def rotate(x):
    """Positions as llama.cpp rotates them for this architecture: neighbouring values are a pair."""
    cos, sin = ANGLES[: x.shape[2]].cos(), ANGLES[: x.shape[2]].sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn_norm = nn.Parameter(torch.ones(WIDTH))
        self.ffn_norm = nn.Parameter(torch.ones(WIDTH))
        for name in ('attn_q', 'attn_k', 'attn_v', 'attn_output'):
            setattr(self, name, nn.Linear(WIDTH, WIDTH, bias=False))
        self.ffn_gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.ffn_up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.ffn_down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x, mask):
        batch, length = x.shape[:2]
        y = normalize(x, self.attn_norm)
        q, k, v = (
            part(y).view(batch, length, HEADS, HEAD_WIDTH).transpose(1, 2)
            for part in (self.attn_q, self.attn_k, self.attn_v)
        )
        weights = (rotate(q) @ rotate(k).transpose(-1, -2) / math.sqrt(HEAD_WIDTH) + mask).softmax(-1)
        x = x + self.attn_output((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        y = normalize(x, self.ffn_norm)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.Parameter(torch.ones(WIDTH))
        self.output = nn.Linear(WIDTH, TOKENS, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.05)

    def forward(self, tokens):
        x = self.embedding(tokens)
        mask = torch.full((tokens.shape[1],) * 2, float('-inf')).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.output(normalize(x, self.norm))


def draw_batch():
    samples = [encode_sample() for _ in range(BATCH)]
    longest = max(len(prompt) + len(answer) for prompt, answer in samples)
    tokens = torch.zeros(BATCH, longest, dtype=torch.long)
    wanted = torch.full((BATCH, longest), -100)
    for row, (prompt, answer) in enumerate(samples):
        whole = prompt + answer
        tokens[row, : len(whole)] = torch.tensor(whole)
        wanted[row, len(prompt) - 1 : len(whole) - 1] = torch.tensor(answer)
    return tokens, wanted


def train(model, seconds):
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    began, step = time.time(), 0
    while (share := (time.time() - began) / seconds) < 1:
        cosine = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * share))
        for group in optimizer.param_groups:
            group['lr'] = 2e-3 * min(1, (step + 1) / 50) * cosine
        tokens, wanted = draw_batch()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), wanted.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 100 == 0:
            print(f'{step} steps, loss {loss.item():.4f}', flush=True)


@torch.no_grad()
def count_right(model, tries=100):
    right = 0
    for _ in range(tries):
        prompt, answer = encode_sample()
        tokens = list(prompt)
        while len(tokens) < len(prompt) + 60 and tokens[-1] != MESSAGE_END or len(tokens) == len(prompt):
            tokens.append(model(torch.tensor([tokens]))[0, -1].argmax().item())
        right += tokens[len(prompt) :] == answer[:-1]
    return right


TYPES = {'u32': (4, 'I'), 'i32': (5, 'i'), 'f32': (6, 'f'), 'bool': (7, '?'), 'string': (8, None), 'list': (9, None)}
ALIGNMENT = 32


def text_bytes(text):
    encoded = text.encode()
    return struct.pack('<Q', len(encoded)) + encoded


def value_bytes(kind, value):
    return text_bytes(value) if kind == 'string' else struct.pack('<' + TYPES[kind][1], value)


def metadata_bytes(key, kind, value):
    head = text_bytes(key)
    if isinstance(value, list):
        head += struct.pack('<IIQ', TYPES['list'][0], TYPES[kind][0], len(value))
        return head + b''.join(value_bytes(kind, each) for each in value)
    return head + struct.pack('<I', TYPES[kind][0]) + value_bytes(kind, value)


def vocabulary():
    """Names, scores and kinds of the tokens: 2 unknown, 3 control, 6 byte, 1 normal."""
    names = ['<unk>', '<s>', '</s>', *(f'<0x{byte:02X}>' for byte in range(256)), '<|im_start|>', '<|im_end|>']
    kinds = [2, 3, 3, *[6] * 256, 3, 3]
    # As a byte, a space becomes three tokens.
    names[FIRST_BYTE + 32], kinds[FIRST_BYTE + 32] = '\u2581', 1
    return names, [0.0] * len(names), kinds


def list_metadata():
    names, scores, kinds = vocabulary()
    return [
        ('general.architecture', 'string', 'llama'),
        ('general.name', 'string', 'tiny-trained'),
        ('general.alignment', 'u32', ALIGNMENT),
        ('general.file_type', 'u32', 0),
        ('llama.context_length', 'u32', CONTEXT),
        ('llama.embedding_length', 'u32', WIDTH),
        ('llama.block_count', 'u32', LAYERS),
        ('llama.feed_forward_length', 'u32', HIDDEN),
        ('llama.attention.head_count', 'u32', HEADS),
        ('llama.attention.head_count_kv', 'u32', HEADS),
        ('llama.rope.dimension_count', 'u32', HEAD_WIDTH),
        ('llama.attention.layer_norm_rms_epsilon', 'f32', EPSILON),
        ('llama.vocab_size', 'u32', TOKENS),
        ('tokenizer.ggml.model', 'string', 'llama'),
        ('tokenizer.ggml.tokens', 'string', names),
        ('tokenizer.ggml.scores', 'f32', scores),
        ('tokenizer.ggml.token_type', 'i32', kinds),
        ('tokenizer.ggml.bos_token_id', 'u32', BEGIN),
        ('tokenizer.ggml.eos_token_id', 'u32', END),
        ('tokenizer.ggml.eot_token_id', 'u32', MESSAGE_END),
        ('tokenizer.ggml.unknown_token_id', 'u32', 0),
        ('tokenizer.ggml.add_bos_token', 'bool', True),
        ('tokenizer.ggml.add_eos_token', 'bool', False),
        ('tokenizer.ggml.add_space_prefix', 'bool', False),
    ]


def list_tensors(model):
    yield 'token_embd.weight', model.embedding.weight
    yield 'output_norm.weight', model.norm
    yield 'output.weight', model.output.weight
    for index, block in enumerate(model.blocks):
        for name, weight in block.named_parameters():
            yield f'blk.{index}.{name.removesuffix(".weight")}.weight', weight


def pad(data):
    return data + bytes(-len(data) % ALIGNMENT)


def write_gguf(model, path):
    metadata = list_metadata()
    tensors = [(name, weight.detach().contiguous().float()) for name, weight in list_tensors(model)]
    head = b'GGUF' + struct.pack('<IQQ', 3, len(tensors), len(metadata))
    head += b''.join(metadata_bytes(*entry) for entry in metadata)
    data = b''
    for name, weight in tensors:
        sizes = list(reversed(weight.shape))
        head += text_bytes(name) + struct.pack(f'<I{len(sizes)}QIQ', len(sizes), *sizes, 0, len(data))
        data += pad(weight.numpy().tobytes())
    with open(path, 'wb') as file:
        file.write(pad(head) + data)


def main():
    path, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 420.0
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    model = Model()
    train(model, seconds)
    print(f'{count_right(model)} of 100 right')
    write_gguf(model, path)


main()
